package entry

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func nobodyWrites(*fixture.Fixture, string) {}

// pipelineRow is one ConfigMap of a pipeline, with one entry, all of the same name.
type pipelineRow struct {
	name       string
	scope      string
	beforePlan fixture.ForeignWrite
	foreign    fixture.ForeignWrite
	bar        string   // what another writer makes of bar; "": it stays "kept"
	refused    []string // what the apply says; nil: it goes through
}

// pipelineOp is the planned change of entries, with the writes between that plan and its apply.
type pipelineOp struct {
	// before and after are the configurations of one entry, without scope and ConfigMap. An empty before seeds nothing.
	before, after string
	// again is the configuration that succeeds after a refusal; empty for after.
	again string
	// planArgs may hold ADDRESS, which makes it one argument for each entry.
	planArgs []string
	found    fixture.Data // what the ConfigMap holds at first
	done     fixture.Data // what it holds afterwards, bar aside
	rows     []pipelineRow
}

// aboutKey and aboutObject begin the message of a refused apply, for a change of the key and of the ConfigMap alone. The
// ends differ, because OpenTofu does not distinguish a plan from an apply.
const aboutKey, aboutObject = "foo changed after ", "but the ConfigMap changed."

// conflictsOf returns the rows of operations that compare with the read of the plan.
func conflictsOf(past string) []pipelineRow {
	const summary = "Error: Compare-And-Swap Conflict"
	nothing := "Nothing was " + past + "."
	live := `Found: "foreign"`
	writer := "Changed by: another-writer (last write "
	same := []string{summary, aboutKey, nothing, live, writer}
	byKey := []string{summary, aboutKey, nothing, live, writer}
	other := []string{summary, aboutObject, nothing, `conflict_scope = "key"`, writer}
	remade := []string{summary, "The ConfigMap was deleted and created again after ", nothing, "uid: ", writer}
	return []pipelineRow{
		{name: "quiet-object", scope: "object", foreign: nobodyWrites},
		{name: "quiet-key", scope: "key", foreign: nobodyWrites},
		{name: "written-before-plan", scope: "object", beforePlan: fixture.OtherKeyWritten, foreign: nobodyWrites, bar: "foreign"},
		{name: "other-key", scope: "key", foreign: fixture.OtherKeyWritten, bar: "foreign"},
		{name: "again-key", scope: "key", foreign: fixture.MadeAgain},
		{name: "same-object", scope: "object", foreign: fixture.SameKeyWritten, refused: same},
		{name: "same-key", scope: "key", foreign: fixture.SameKeyWritten, refused: byKey},
		{name: "other-object", scope: "object", foreign: fixture.OtherKeyWritten, bar: "foreign", refused: other},
		{name: "again-object", scope: "object", foreign: fixture.MadeAgain, refused: remade},
	}
}

var notAsExpected = []string{
	"Error: Expected Value Mismatch", `expected_value is "1", but foo holds "foreign". Nothing was written`,
	`Expected: "1"`, `Found: "foreign"`, "Changed by: another-writer (last write ",
}

var pipelineOps = map[string]pipelineOp{
	"create": {
		after: "value = \"2\"\nexpected_value = \"1\"",
		again: "value = \"2\"\nexpected_value = \"foreign\"",
		found: fixture.Data{"foo": "1"},
		done:  fixture.Data{"foo": "2"},
		rows: []pipelineRow{ // by value, in either scope: no observation of the plan reaches a create
			{name: "quiet-object", scope: "object", foreign: nobodyWrites},
			{name: "other-object", scope: "object", foreign: fixture.OtherKeyWritten, bar: "foreign"},
			{name: "other-key", scope: "key", foreign: fixture.OtherKeyWritten, bar: "foreign"},
			{name: "again-object", scope: "object", foreign: fixture.MadeAgain},
			{name: "same-object", scope: "object", foreign: fixture.SameKeyWritten, refused: notAsExpected},
			{name: "same-key", scope: "key", foreign: fixture.SameKeyWritten, refused: notAsExpected},
		},
	},
	"update": {
		before: `value = "2"`,
		after:  `value = "3"`,
		done:   fixture.Data{"foo": "3"},
		rows:   conflictsOf("written"),
	},
	"removed block": { // planned before it is refreshed, by Terraform before 1.12.2
		before: `value = "2"`,
		rows:   conflictsOf("removed"),
	},
	"destroy": {
		before:   `value = "2"`,
		after:    `value = "2"`,
		planArgs: []string{"-destroy"},
		rows:     conflictsOf("removed"),
	},
	"key renamed": {
		before: `value = "2"`,
		after:  "key = \"baz\"\nvalue = \"2\"",
		done:   fixture.Data{"baz": "2"},
		rows:   conflictsOf("removed"),
	},
	"replaced": {
		before:   `value = "2"`,
		after:    `value = "2"`,
		planArgs: []string{"-replace=ADDRESS"},
		done:     fixture.Data{"foo": "2"},
		rows:     conflictsOf("removed"),
	},
}

func TestPipeline(t *testing.T) {
	t.Parallel()
	for name, op := range pipelineOps {
		through, refused := op.rows, []pipelineRow(nil)
		for i, row := range op.rows {
			if row.refused != nil {
				through, refused = op.rows[:i], op.rows[i:]
				break
			}
		}
		t.Run(name+"/goes through", func(t *testing.T) { goesThrough(fixture.NewPipeline(t), op, through) })
		t.Run(name+"/refused", func(t *testing.T) { isRefused(fixture.NewPipeline(t), op, refused) })
	}
}

// upToPlan seeds the entries, saves the plan, then lets the other writers write.
func upToPlan(p *fixture.Pipeline, op pipelineOp, rows []pipelineRow) {
	p.Helper()
	for _, row := range rows {
		found := fixture.Data{"bar": "kept"}
		maps.Copy(found, op.found)
		p.Create(row.name, found)
	}
	if op.before != "" {
		p.Planned(op.body(op.before, rows))
	}
	for _, row := range rows {
		if row.beforePlan != nil {
			row.beforePlan(p.Fixture, row.name)
		}
	}
	p.Write(op.body(op.after, rows))
	p.Plan(op.args(rows)...)
	for _, row := range rows {
		row.foreign(p.Fixture, row.name)
	}
}

func goesThrough(p *fixture.Pipeline, op pipelineOp, rows []pipelineRow) {
	p.Helper()
	upToPlan(p, op, rows)
	p.Apply()
	wantDone(p, op, rows)
	if len(op.planArgs) == 0 {
		p.PlanNothing()
	}
}

func isRefused(p *fixture.Pipeline, op pipelineOp, rows []pipelineRow) {
	p.Helper()
	upToPlan(p, op, rows)
	stateBefore := p.State()
	liveBefore := map[string]*corev1.ConfigMap{}
	for _, row := range rows {
		liveBefore[row.name] = p.Live(row.name)
	}

	output := p.ApplyRefused()
	if got := strings.Count(output, "Error: "); got != len(rows) {
		p.Errorf("%d errors, want %d", got, len(rows))
	}
	for _, row := range rows {
		p.Wants(diagnosticOf(output, p.Namespace+"/"+row.name), row.refused...)
		p.WantUnchanged(liveBefore[row.name])
	}
	if diff := cmp.Diff(stateBefore, p.State(), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(fixture.Tracked{}, "Private")); diff != "" {
		p.Errorf("the refused apply changed the state (-before +after):\n%s", diff)
	}

	again := op.after
	if op.again != "" {
		again = op.again
	}
	p.Planned(op.body(again, rows), op.args(rows)...)
	wantDone(p, op, rows)
}

func wantDone(p *fixture.Pipeline, op pipelineOp, rows []pipelineRow) {
	p.Helper()
	tracked := p.State()
	for _, row := range rows {
		want := fixture.Data{"bar": "kept"}
		if row.bar != "" {
			want["bar"] = row.bar
		}
		maps.Copy(want, op.done)
		p.WantLive(row.name, want)
		if _, ok := tracked[row.name]; ok != (op.done != nil) {
			p.Errorf("the state tracks %s: %v", row.name, ok)
		}
	}
}

// body is the configuration of all rows, empty for a configuration from which the blocks were removed.
func (op pipelineOp) body(of string, rows []pipelineRow) string {
	var b strings.Builder
	for _, row := range rows {
		if of != "" {
			b.WriteString(fixture.EntryBlock(row.name, "name = \""+row.name+"\"", "conflict_scope = \""+row.scope+"\"", fixture.Deletes, fixture.Overwrites, of))
		}
	}
	return b.String()
}

func (op pipelineOp) args(rows []pipelineRow) []string {
	var args []string
	for _, arg := range op.planArgs {
		if !strings.Contains(arg, "ADDRESS") {
			args = append(args, arg)
			continue
		}
		for _, row := range rows {
			args = append(args, strings.ReplaceAll(arg, "ADDRESS", "cas_configmap_entry."+row.name))
		}
	}
	return args
}

// diagnosticOf is the one error in the output that is about the ConfigMap.
func diagnosticOf(output, configMap string) string {
	for _, d := range strings.Split(output, "Error: ")[1:] {
		if strings.Contains(d, "ConfigMap: "+configMap+" ") {
			return "Error: " + d
		}
	}
	return ""
}
