package document

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

const settings = "# of the shop\nlog:\n  level: info # quiet\n  rate: 10\nusers:\n  - name: a\n    age: 1\n"

func TestDeletionPolicies(t *testing.T) {
	t.Parallel()
	const written = "# of the shop\nlog:\n  level: debug # quiet\n  rate: 10\nusers:\n  - name: a\n    age: 1\n"
	const removed = "# of the shop\nlog:\n  rate: 10\nusers:\n  - name: a\n    age: 1\n"
	for policy, test := range map[string]struct {
		want string
		says string
	}{
		"release": {written, "Warning: Field Stays In Place"},
		"restore": {settings, "Warning: Value Will Be Put Back"},
		"delete":  {removed, "Field"},
		"abandon": {written, ""},
	} {
		t.Run(policy, func(t *testing.T) {
			d := made(t, "config.yaml", settings)
			d.Planned(d.block("it", `fields = { "log.level" = "debug" }`, `expected_fields = { "log.level" = "info" }`,
				"deletion_policy = "+fixture.Quoted(policy)))
			d.wantText(written)
			d.Write("")
			d.Wants(d.Plan(), test.says)
			d.Apply()
			d.wantText(test.want)
		})
	}
}

// A field that leaves the configuration follows the policy, as on destroy.
func TestFieldThatLeavesTheConfiguration(t *testing.T) {
	d := made(t, "config.yaml", settings)
	d.Planned(d.block("it", `fields = { "log.level" = "debug", "log.color" = true }`, `expected_fields = { "log.level" = "info" }`))
	d.Planned(d.block("it", `fields = { "log.level" = "debug" }`))
	d.wantText("# of the shop\nlog:\n  level: debug # quiet\n  rate: 10\nusers:\n  - name: a\n    age: 1\n")
	d.PlanNothing()
}

func TestDrift(t *testing.T) {
	block := func(d *document, value string, lines ...string) string {
		return d.block("it", append(lines, `fields = { "users[name=a].rank" = `+value+` }`)...)
	}
	d := made(t, "config.yaml", settings)
	d.Planned(block(d, "2"))
	d.edit("rank: 2", "rank: 3")
	d.PlanRefused([]string{"Error: Value Changed", "Found: 3"})
	d.Write(block(d, "2", `on_drift = "overwrite"`))
	d.Wants(d.Plan(), "Warning: ", "Found: 3")
	d.edit("rank: 3", "rank: 4")
	d.ApplyRefused("Error: Compare-And-Swap Conflict")
	d.PlanApply()
	d.edit("rank: 2", "rank: 0x2") // the same number in another spelling
	d.edit("level: info", "level: 'info'")
	d.PlanNothing()
	d.edit("    rank: 0x2\n", "") // a missing field is not drift: it is created again
	d.PlanApply()
	d.wantText("# of the shop\nlog:\n  level: 'info' # quiet\n  rate: 10\nusers:\n  - name: a\n    age: 1\n    rank: 2\n")
}

func TestGuardsAndScopes(t *testing.T) {
	d := made(t, "config.yaml", settings)
	guarded := d.block("it", `fields = { "log.level" = "debug" }`, `expected_fields = { "log.level" = "info", "log.rate" = 10, "frozen" = null }`)
	d.Set("settings", "config.yaml", settings+"frozen: true\n")
	d.Write(guarded)
	d.PlanRefused([]string{"Error: Expected Value Mismatch", "frozen"})
	d.Set("settings", "config.yaml", settings)
	d.Plan()
	d.edit("rate: 10", "rate: 11")
	d.ApplyRefused("Error: Expected Value Mismatch", "log.rate")
	d.edit("rate: 11", "rate: 10")
	d.PlanApply()

	object := d.block("it", `fields = { "log.level" = "warn" }`, `conflict_scope = "object"`)
	d.Write(object)
	d.Plan()
	d.Set("settings", "other", "changed")
	d.ApplyRefused("Error: Compare-And-Swap Conflict")
	d.Set("settings", "other", "kept")
	d.PlanApply()
}

func TestHiddenValues(t *testing.T) {
	d := made(t, "config.yaml", "password: hunter2\n")
	d.Write(d.block("it", `fields = { "password" = "new" }`, `expected_fields = { "password" = "old" }`, "hide_values = true"))
	d.PlanRefused([]string{"Error: Expected Value Mismatch", "(hidden, 7 bytes", "!hunter2"})
	d.Set("settings", "config.yaml", "password: hunter2: [\n")
	d.PlanRefused([]string{"Error: ", "!hunter2"})
}

func TestObjectIsRecreatedImmutableOrGone(t *testing.T) {
	d := made(t, "config.yaml", settings)
	block := d.block("it", `fields = { "log.color" = true }`)
	d.Planned(block)
	with := d.text()
	d.Remove("settings")
	d.Create("settings", fixture.Data{"config.yaml": settings, "other": "kept"})
	d.PlanApply()
	d.wantText(with)
	d.Change("settings", fixture.Freeze)
	d.Write(d.block("it", `fields = { "log.color" = false }`))
	d.PlanRefused([]string{"Immutable"})
	d.Write(block)
	d.Unset("settings", "none")
}
