package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	provider, err := testcli.Provider(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	o := options{
		rounds: 1, cases: caseNames(), from: placeNames, entries: []int{2}, beside: provider, reference: true,
		swaps: []int{2}, kib: []int{1}, parallel: []int{2}, limit: time.Minute, processes: []int{2}, writes: 2, starts: 1,
	}
	o.distant.swaps, o.distant.parallel = 2, 2
	dir := t.TempDir()
	err = run(t.Context(), o, partNames(), dir)
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
	got := []int{len(r.Runs), len(r.CLI), len(r.Allocations), len(r.Engine), len(r.Processes), len(r.Binaries)}
	// 2 places, 3 subjects, 4 shapes with 4 steps and one with 1; 2 places, 3 subjects, 2 shapes with 4 steps; 2 places, 2 shapes, 3 writers; 2 places; 2 subjects.
	if diff := cmp.Diff([]int{len(parts), 102, 48, 12, 2, 2}, got); diff != "" {
		t.Errorf("parts and rows: %s", diff)
	}
	for _, row := range slices.Concat(r.CLI, r.Allocations) {
		switch {
		case row.Subject == subjectFloor && row.Requests[0] != row.Verbs[0][verbWatch]: // a watch may be the API server's own
			t.Errorf("the floor sent requests: %v", row.Verbs[0])
		case row.Subject != subjectFloor && (row.Requests[0] < 1 || row.Verbs[0].total() != row.Requests[0]):
			t.Errorf("no request was counted: %v", row)
		case noun(row.Shape) != "entry" && row.Step == steps[0].name && row.Verbs[0]["PATCH"] < 1:
			t.Errorf("something was taken without a write: %v", row)
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

func TestRoundsGetFewerWithMoreEntries(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ rounds, entries, least, want int }{
		{5, 100, 100, 5}, {5, 200, 100, 5}, {5, 1000, 100, 1}, {10, 1000, 200, 2}, {1, 1000, 200, 1}, {7, 1000, 1000, 7}, {3, 2, 2, 3},
	} {
		if got := (options{rounds: test.rounds}).roundsOf(test.entries, test.least); got != test.want {
			t.Errorf("%v: got %d", test, got)
		}
	}
}

func TestNamesInto(t *testing.T) {
	t.Parallel()
	var got []string
	if err := namesInto(&got, caseNames())("own,one"); err != nil || !slices.Equal(got, []string{"own", "one"}) {
		t.Errorf("got %v, %v", got, err)
	}
	if err := namesInto(&got, caseNames())("one,two"); err == nil || !strings.Contains(err.Error(), `"two"`) {
		t.Errorf("got %v", err)
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
# TYPE apiserver_longrunning_requests gauge
apiserver_longrunning_requests{resource="configmaps",scope="resource",verb="WATCH"} 2
apiserver_longrunning_requests{resource="configmaps",scope="namespace",verb="WATCH"} 1
apiserver_longrunning_requests{resource="secrets",verb="WATCH"} 90
`
	got, err := countRequests(strings.NewReader(metrics))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(counts{"GET": 3, "PATCH": 4, "APPLY": 50, "WATCH": 703}, got); diff != "" || got.total() != 760 {
		t.Error(diff)
	}
	since := got.since(counts{"GET": 3, "PATCH": 2, "WATCH": 702})
	if text := since.each(10); text != "APPLY 5.000, PATCH 0.200, WATCH 0.100" {
		t.Errorf("got %s", text)
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
			n := int(requests * float64(entries))
			row.Subject, row.Seconds, row.Requests, row.Verbs = subjectCAS, []float64{2 * multiple}, []int{n}, []counts{{"GET": n - 2, verbWatch: 2}}
			rows = append(rows, row)
		}
	}
	return rows
}

// numbers has 200 numbers of one counter, beside entries and beside another build.
func numbers() []cliRow {
	row := cliRow{Place: loopback, Shape: oneCounter, Entries: 200, Step: steps[0].name, PeakMiB: []float64{40}}
	entries, other := row, row
	entries.Subject, entries.Seconds, entries.Requests = subjectEntries, []float64{2, 2, 2, 2, 2, 2}, []int{50, 50, 50, 50, 50, 50}
	row.Subject, row.Seconds, row.Requests = subjectCAS, []float64{3, 3, 3, 6, 3, 3}, []int{220, 220, 220, 220, 220, 220}
	other.Subject, other.Seconds, other.Requests = subjectBeside, []float64{2, 3, 4, 4, 5, 3}, []int{400, 400, 400, 400, 400, 400}
	return []cliRow{entries, row, other}
}

// ofPool has 200 allocations of one pool, beside entries.
func ofPool(requestsEach float64) (rows []cliRow) { return of(onePool, requestsEach) }

// of has 200 of a shape, beside entries.
func of(shape string, requestsEach float64) (rows []cliRow) {
	for _, step := range steps {
		row := cliRow{Place: loopback, Shape: shape, Entries: 200, Step: step.name, PeakMiB: []float64{40}}
		entries := row
		entries.Subject, entries.Seconds, entries.Requests = subjectEntries, []float64{2}, []int{20}
		row.Subject, row.Seconds, row.Requests = subjectCAS, []float64{3}, []int{int(200 * requestsEach)}
		rows = append(rows, entries, row)
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
			{Place: loopback, Processes: 16, Writes: 50, Requests: []float64{5, 1.2, 6}, Conflicts: []int{0, 0, 0}},
		}}},
		"too slow": {results: results{CLI: sample(1.2, 1.2, 0.5)}, missed: []string{
			"create of 200 entries, loopback: multiple of the floor", "plan of 200 entries, loopback: multiple of the floor",
			"update of 200 entries, loopback: multiple of the floor", "destroy of 200 entries, loopback: multiple of the floor",
		}},
		"too many requests": {results: results{CLI: sample(1.1, 1.1, 0.6)}, missed: []string{"create of 200 entries, loopback: requests an entry"}},
		"allocations":       {results: results{Allocations: ofPool(0.3)}},
		"too many requests of allocations": {
			results: results{Allocations: ofPool(0.31)}, missed: []string{"create of 200 allocations of one pool, loopback: requests an allocation"},
		},
		"worse where there are more": {results: results{CLI: sample(1, 1.1, 0.5)}, missed: []string{
			"create of 1000 entries, loopback: multiple of the floor, as with 200", "plan of 1000 entries, loopback: multiple of the floor, as with 200",
			"update of 1000 entries, loopback: multiple of the floor, as with 200", "destroy of 1000 entries, loopback: multiple of the floor, as with 200",
		}},
		"a false conflict": {results: results{Processes: []processRow{
			{Place: loopback, Processes: 16, Requests: []float64{5.1}, Conflicts: []int{0, 1}},
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

func TestTargetsNeedTheFloor(t *testing.T) {
	t.Parallel()
	rows := slices.DeleteFunc(sample(1, 1, 1), func(row cliRow) bool { return row.Subject == subjectFloor })
	if all := targetsOf(&results{CLI: rows}); len(all) != 0 {
		t.Errorf("got %v", all)
	}
}

func TestReportShowsLossesAndCaps(t *testing.T) {
	t.Parallel()
	measured := &results{
		CLI: slices.Concat(sample(1.2, 1.3, 0.6), numbers(), of(oneObject, 0.3), of(oneDocument, 0.4)), Allocations: ofPool(0.2),
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
	}
	wantReport(t, measured,
		"| create of 200 entries, loopback: multiple of the floor | 1.15 | 1.20 | **not met** |",
		"| create | 2.00 s | 2.40 s = 1.20 x, 0.60 requests an entry (GET 0.590, WATCH 0.010) |",
		"### 200 numbers of one counter, loopback (6 rounds)\n\n| | entries | cas | beside | cas / beside |",
		"| create | 2.00 s, 0.25 requests an entry | 3.00 s = 1.50 x, 1.10 requests a number | 3.50 s = 1.75 x, 2.00 requests a number | 1.00, 95 %: 0.60 to 1.50 |",
		"| memory | 40 MiB | 40 MiB |",
		"### 200 fields of one object, loopback (1 round)\n\n| | entries | cas |",
		"| create | 2.00 s, 0.10 requests an entry | 3.00 s = 1.50 x, 0.30 requests a field |",
		"### 200 items of one document, loopback (1 round)\n\n| | entries | cas |",
		"| create | 2.00 s, 0.10 requests an entry | 3.00 s = 1.50 x, 0.40 requests an item |",
		"### 200 allocations of one pool, loopback (1 round)\n\n| | entries | cas |",
		"| create | 2.00 s, 0.10 requests an entry | 3.00 s = 1.50 x, 0.20 requests an allocation |",
		"| 1000 | 100 | 2.00 ms, 0.10 requests, 5.0 kB | 150.00 ms, 2.50 requests, 1.5 kB, **capped** after 20 | **capped**: none in 8 s |",
	)
}

// wantReport makes a report, which must have some lines in it.
func wantReport(t *testing.T, of *results, wants ...string) string {
	t.Helper()
	raw, err := report(of)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range wants {
		if !strings.Contains(string(raw), want) {
			t.Errorf("the report lacks %q:\n%s", want, raw)
		}
	}
	return string(raw)
}

// The page shows hashicorp/kubernetes beside this provider if both were measured, and says so if not.
func TestReportShowsThePeer(t *testing.T) {
	t.Parallel()
	const notMeasured = "was not measured: `PEER_PROVIDER` named no binary."
	rows := sample(1.2, 1.3, 0.6)
	wantReport(t, &results{CLI: rows}, notMeasured, "\n| | floor | cas |\n")
	for _, row := range rows[:len(rows):len(rows)] {
		if row.Subject == subjectCAS {
			row.Subject, row.Seconds, row.Requests = subjectPeer, []float64{6}, []int{3 * row.Entries}
			row.Verbs = []counts{{"GET": 2 * row.Entries, "APPLY": row.Entries}}
			rows = append(rows, row)
		}
	}
	said := wantReport(t, &results{CLI: rows},
		"\n| | floor | cas | kubernetes |\n",
		"| create | 2.00 s | 2.40 s = 1.20 x, 0.60 requests an entry (GET 0.590, WATCH 0.010) | 6.00 s = 3.00 x, 3.00 requests an entry (APPLY 1.000, GET 2.000) |",
		"`kubernetes` is `kubernetes_config_map_v1_data` of `hashicorp/kubernetes`",
	)
	if strings.Contains(said, notMeasured) {
		t.Error("the report says of a peer that was measured that it was not")
	}
}

// After a change of the page or the chart, make bench BENCH=-redraw writes them again.
func TestTheDocumentationShowsItsFigures(t *testing.T) {
	t.Parallel()
	const docs = "../../../docs"
	r, err := load(docs)
	if err != nil {
		t.Fatal(err)
	}
	again := t.TempDir()
	if err := r.save(again); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{resultsFile, reportFile, chartFile} {
		want, wantErr := os.ReadFile(filepath.Join(again, name))
		got, gotErr := os.ReadFile(filepath.Join(docs, name))
		if err := errors.Join(wantErr, gotErr); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("docs/%s is not what bench -redraw writes", name)
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
