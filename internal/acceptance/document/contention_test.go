package document

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// beside returns another process with a state of its own for the same document.
func (d *document) beside() *document {
	return &document{&fixture.Pipeline{Fixture: d.Fixture, On: fixture.NewSession(d)}, d.key, d.format}
}

// Of two processes that plan the same swap of one item, exactly one applies it, in each of 20 rounds.
func TestTwoProcessesOnOneItem(t *testing.T) {
	d := made(t, "config.yaml", "# of the shop\nlog:\n  level: start # now\n")
	last := "start"
	for round := range 20 {
		both := []*document{d.beside(), d.beside()}
		values := []string{fmt.Sprintf("a%d", round), fmt.Sprintf("b%d", round)}
		for i, each := range both {
			each.Write(each.block("it", fmt.Sprintf(`fields = { "log.level" = %q }`, values[i]), fmt.Sprintf(`expected_fields = { "log.level" = %q }`, last)))
			each.Plan()
		}
		var results [2]testcli.Result
		var running sync.WaitGroup
		for i, each := range both {
			running.Go(func() { results[i] = each.On.Apply(fixture.PlanFile) })
		}
		running.Wait()
		winner := 0
		if results[1].ExitCode == 0 {
			winner = 1
		}
		if results[winner].ExitCode != 0 || results[1-winner].ExitCode != 1 {
			t.Fatalf("round %d: the applies ended with %d and %d:\n%s\n%s", round, results[0].ExitCode, results[1].ExitCode,
				results[0].All(), results[1].All())
		}
		d.Wants(testcli.Flat(results[1-winner].All()), "Nothing was written.")
		last = values[winner]
		d.wantText("# of the shop\nlog:\n  level: " + last + " # now\n")
	}
}

// Three processes with 20 items each and another writer of a comment change one document at the same time. No item and no
// line is lost.
func TestThreeProcessesAndAnotherWriter(t *testing.T) {
	d := made(t, "config.yaml", "items:\n- name: first # 0\n")
	const items = 20
	var running sync.WaitGroup
	var results [3]testcli.Result
	for process := range results {
		each := d.beside()
		var blocks strings.Builder
		for i := range items {
			blocks.WriteString(each.block(fmt.Sprintf("i%d", i), fmt.Sprintf(
				`fields = { "items[name=p%d-%d]" = { name = "p%[1]d-%[2]d", size = %[2]d } }`, process, i)))
		}
		each.Write(blocks.String())
		each.Plan()
		running.Go(func() { results[process] = each.On.Apply(fixture.PlanFile) })
	}
	api := d.Cluster.Client().CoreV1().ConfigMaps(d.Namespace)
	for edit := 1; edit <= 10; {
		cm := d.Live("settings")
		before, after, _ := strings.Cut(cm.Data[d.key], fmt.Sprintf("# %d\n", edit-1))
		cm.Data[d.key] = before + fmt.Sprintf("# %d\n", edit) + after
		_, err := api.Update(context.Background(), cm, metav1.UpdateOptions{FieldManager: "another-writer"})
		switch {
		case err == nil:
			edit++
		case !apierrors.IsConflict(err):
			t.Fatal(err)
		}
	}
	running.Wait()
	for process, result := range results {
		if result.ExitCode != 0 {
			t.Errorf("process %d ended with %d:\n%s", process, result.ExitCode, result.All())
		}
	}
	text := d.text()
	if !strings.HasPrefix(text, "items:\n- name: first # 10\n") {
		t.Errorf("the line of the other writer is lost:\n%s", text)
	}
	for process := range results {
		for i := range items {
			if item := fmt.Sprintf("- name: p%d-%d\n  size: %[2]d\n", process, i); strings.Count(text, item) != 1 {
				t.Errorf("%q is not once in\n%s", item, text)
			}
		}
	}
}

// Resources of one document share requests, as entries of one ConfigMap do, and the second plan is empty.
func TestRequestsOfManyItems(t *testing.T) {
	const items = 50
	d := made(t, "config.yaml", "items: []\n")
	proxy := d.Proxied()
	var blocks strings.Builder
	for i := range items {
		blocks.WriteString(d.block(fmt.Sprintf("i%d", i), fmt.Sprintf(`fields = { "items[name=i%d]" = { name = "i%[1]d" } }`, i)))
	}
	d.Write(blocks.String())
	d.Plan()
	d.Apply()
	if n := fixture.RequestsOf(proxy); n > items/2 { // a read and a write for each item would be 100
		t.Errorf("%d items took %d requests", items, n)
	}
	d.PlanNothing()
}

// A create waits until another writer sets the expected value, and does not count changes of other fields.
func TestWaitForMatch(t *testing.T) {
	d := made(t, "config.yaml", "phase: migrating\nversion: 1\n")
	proxy := d.Proxied()
	d.OnWatches(proxy, func() testcluster.Fault {
		return fixture.Watched(func() {
			d.edit("version: 1", "version: 2")
			d.edit("phase: migrating", "phase: ready")
		})
	})
	d.Write(d.block("it", `fields = { "open" = true }`, `expected_fields = { "phase" = "ready" }`, `wait_for_match = "10m"`))
	d.Wants(d.Plan(), "Warning: Expectation Does Not Hold Yet")
	d.Apply()
	d.wantText("phase: ready\nversion: 2\nopen: true\n")
}

// A document that makes the ConfigMap too large is refused with a warning in the plan, and nothing is written.
func TestTooLarge(t *testing.T) {
	d := made(t, "config.yaml", "a: 1\n")
	d.Set("settings", "large", strings.Repeat("x", 1<<20-100))
	was := d.Live("settings")
	d.Write(d.block("it", fmt.Sprintf(`fields = { "b" = %q }`, strings.Repeat("y", 100))))
	d.Wants(d.Plan(), "Warning: ConfigMap Too Large: ConfigMap "+d.Namespace+"/settings")
	d.ApplyRefused("Error: ConfigMap Too Large", "Nothing was written.")
	d.WantUnchanged(was)
}
