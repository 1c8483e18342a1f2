package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

func TestMain(m *testing.M) {
	if spec := os.Getenv(workerEnv); spec != "" {
		exit(work(spec))
	}
	testcluster.Main(m)
}

// TestRunMeasuresAllParts runs everything once with next to nothing to do.
func TestRunMeasuresAllParts(t *testing.T) {
	if _, err := testcli.Find(); errors.Is(err, testcli.ErrNoCLI) {
		toolchain.Unavailable(t, err)
	}
	o := options{
		rounds: 1, entries: []int{2}, swaps: []int{2}, kib: []int{1}, parallel: []int{2}, limit: time.Minute,
		processes: []int{2}, writes: 2, starts: 1,
	}
	o.distant.swaps, o.distant.parallel = 2, 2
	dir := t.TempDir()
	err := run(t.Context(), o, partNames(), dir)
	if errors.Is(err, testcluster.ErrNoBinaries) {
		toolchain.Unavailable(t, err)
	}
	if err != nil {
		t.Fatal(err)
	}

	r, err := load(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := []int{len(r.Runs), len(r.CLI), len(r.Engine), len(r.Processes), len(r.Binaries)}
	// 2 places, 2 shapes, 2 subjects, 4 steps; 2 places, 2 shapes, 3 writers; 2 places; 2 subjects.
	if diff := cmp.Diff([]int{len(parts), 32, 12, 2, 2}, got); diff != "" {
		t.Errorf("parts and rows: %s", diff)
	}
	for _, row := range r.CLI {
		switch {
		case row.Subject == subjectFloor && row.Requests[0] != 0:
			t.Errorf("the floor sent %d requests", row.Requests[0])
		case row.Subject == subjectCAS && row.Requests[0] < 1:
			t.Errorf("no request was counted: %v", row)
		}
	}
	for _, row := range r.Engine {
		if row.Capped || row.Done[0] != 2 || row.Requests[0] < 2 || row.Bytes[0] < 2*1024 {
			t.Errorf("not all was measured: %v", row)
		}
	}
	for _, row := range r.Processes {
		if row.Requests[0] < 1 || row.conflicts() != 0 {
			t.Errorf("got %v", row)
		}
	}
	for _, name := range []string{reportFile, chartFile} {
		if raw, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(raw), "one ConfigMap") {
			t.Errorf("%s: %v, %d bytes", name, err, len(raw))
		}
	}
}

func TestHandshakeNamesWhatIsNoProvider(t *testing.T) {
	t.Parallel()
	for _, binary := range []string{"/bin/echo", filepath.Join(t.TempDir(), "nothing")} {
		if _, err := handshake(t.Context(), binary); err == nil || !strings.Contains(err.Error(), binary) {
			t.Errorf("%s: %v", binary, err)
		}
	}
}

func TestCountRequests(t *testing.T) {
	t.Parallel()
	const metrics = `# TYPE other counter
other{resource="configmaps",verb="GET"} 1000
# TYPE apiserver_request_total counter
apiserver_request_total{code="200",resource="configmaps",verb="GET"} 3
apiserver_request_total{code="409",resource="configmaps",verb="PATCH"} 4
apiserver_request_total{code="200",resource="configmaps",verb="APPLY"} 50
apiserver_request_total{code="200",resource="configmaps",verb="LIST"} 600
apiserver_request_total{code="200",resource="configmaps",verb="WATCH"} 700
apiserver_request_total{code="200",resource="secrets",verb="GET"} 800
`
	if got, err := countRequests(strings.NewReader(metrics)); err != nil || got != 57 {
		t.Errorf("got %d, %v", got, err)
	}
	if _, err := countRequests(strings.NewReader("# TYPE other counter\nother 1\n")); err == nil {
		t.Error("what does not count requests was taken for none")
	}
}

// sample has 200 and 1,000 entries with the given multiples of the floor, and requests an entry.
func sample(few, many, requests float64) []cliRow {
	var rows []cliRow
	for entries, multiple := range map[int]float64{200: few, 1000: many} {
		for _, step := range steps {
			row := cliRow{Place: loopback, Shape: oneMap, Entries: entries, Step: step.name, PeakMiB: []float64{40}}
			row.Subject, row.Seconds, row.Requests = subjectFloor, []float64{2}, []int{0}
			rows = append(rows, row)
			row.Subject, row.Seconds, row.Requests = subjectCAS, []float64{2 * multiple}, []int{int(requests * float64(entries))}
			rows = append(rows, row)
		}
	}
	return rows
}

func TestTargets(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		results results
		missed  []string
	}{
		"all met": {results: results{CLI: sample(1.1, 1.1, 0.5), Processes: []processRow{
			{Place: loopback, Processes: 16, Writes: 50, Requests: []float64{1.5, 1.2, 2}, Conflicts: []int{0, 0, 0}},
		}}},
		"too slow": {results: results{CLI: sample(1.2, 1.2, 0.5)}, missed: []string{
			"create of 200 entries, loopback: multiple of the floor", "plan of 200 entries, loopback: multiple of the floor",
			"update of 200 entries, loopback: multiple of the floor", "destroy of 200 entries, loopback: multiple of the floor",
		}},
		"too many requests": {results: results{CLI: sample(1.1, 1.1, 0.6)}, missed: []string{"create of 200 entries, loopback: requests an entry"}},
		"worse where there are more": {results: results{CLI: sample(1, 1.1, 0.5)}, missed: []string{
			"create of 1000 entries, loopback: multiple of the floor, as with 200", "plan of 1000 entries, loopback: multiple of the floor, as with 200",
			"update of 1000 entries, loopback: multiple of the floor, as with 200", "destroy of 1000 entries, loopback: multiple of the floor, as with 200",
		}},
		"a false conflict": {results: results{Processes: []processRow{
			{Place: loopback, Processes: 16, Requests: []float64{1.6}, Conflicts: []int{0, 1}},
		}}, missed: []string{"16 processes, loopback: requests a write", "16 processes, loopback: false conflicts"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var missed []string
			all := targetsOf(&test.results)
			for _, v := range all {
				if !v.Met {
					missed = append(missed, v.What)
				}
			}
			sorted := cmpopts.SortSlices(func(a, b string) bool { return a < b })
			if diff := cmp.Diff(test.missed, missed, sorted); diff != "" || len(all) == 0 {
				t.Errorf("%d targets: %s", len(all), diff)
			}
		})
	}
}

func TestReportShowsLossesAndCaps(t *testing.T) {
	t.Parallel()
	raw, err := report(&results{
		CLI: sample(1.2, 1.3, 0.6),
		Engine: []engineRow{
			{
				Place: loopback, Shape: oneMap, KiB: 900, Swaps: 1000, Parallel: 100, Writer: writerEngine,
				Done: []int{1000}, Seconds: []float64{2}, Requests: []int64{100}, Bytes: []int64{5_000_000},
			},
			{
				Place: loopback, Shape: oneMap, KiB: 900, Swaps: 1000, Parallel: 100, Writer: writerLoop, Capped: true,
				Done: []int{40, 20}, Seconds: []float64{4, 4}, Requests: []int64{80, 60}, Bytes: []int64{80_000, 20_000},
			},
			{
				Place: loopback, Shape: oneMap, KiB: 900, Swaps: 1000, Parallel: 100, Writer: writerBlind, Capped: true,
				Done: []int{0}, Seconds: []float64{8}, Requests: []int64{100}, Bytes: []int64{1},
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| create of 200 entries, loopback: multiple of the floor | 1.15 | 1.20 | **not met** |",
		"| create | 2.00 s | 2.40 s = 1.20 x, 0.60 requests an entry |",
		"| memory | 40 MiB | 40 MiB |",
		"| 1000 | 100 | 2.00 ms, 0.10 requests, 5.0 kB | 150.00 ms, 2.50 requests, 1.5 kB, **capped** after 20 | **capped**: none in 8 s |",
	} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("the report lacks %q:\n%s", want, raw)
		}
	}
}

func TestChartIsDrawnOfNothingAndOfSomething(t *testing.T) {
	t.Parallel()
	for i, r := range []*results{{}, {CLI: sample(1.2, 1.3, 0.6)}} {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i, ".svg"))
		if err := chart(r, path); err != nil {
			t.Fatal(err)
		}
		if raw, err := os.ReadFile(path); err != nil || !strings.Contains(string(raw), "</svg>") {
			t.Errorf("%v, %d bytes", err, len(raw))
		}
	}
}
