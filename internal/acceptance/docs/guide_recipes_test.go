package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

const (
	conflicted = "Error: Compare-And-Swap Conflict"
	mismatched = "Error: Expected Value Mismatch"
)

func TestGuideRecipeCoreDNS(t *testing.T) {
	t.Parallel()
	after := guideFile(t, "coredns/Corefile")
	before, _, _ := strings.Cut(after, "corp.example.com:53 {")
	p := guidePipeline(t, "kube-system", "coredns", fixture.Data{"Corefile": before})
	files := func(before, after string) {
		p.CLI.Write("Corefile.before", before)
		p.CLI.Write("Corefile", after)
	}
	runs(p, guideFile(t, "coredns/save.sh"))
	for _, name := range []string{"Corefile.before", "Corefile"} {
		if saved, err := os.ReadFile(filepath.Join(p.CLI.Dir, name)); err != nil || string(saved) != before {
			t.Errorf("%s is %q (%v), want what the ConfigMap holds", name, saved, err)
		}
	}
	p.CLI.Write("Corefile", after)
	p.Write(guideFile(t, "coredns/main.tf"))

	// The add-on is upgraded between plan and apply.
	upgraded := before + "# of the new version\n"
	p.Plan()
	p.Set("coredns", "Corefile", upgraded)
	p.ApplyRefused("Error: Expected Value Mismatch", "Nothing was written.")
	p.WantLive("coredns", fixture.Data{"Corefile": upgraded})
	p.PlanRefused([]string{mismatched, "Changed by: another-writer (last write "})

	p.Set("coredns", "Corefile", before)
	p.PlanApply()
	p.WantLive("coredns", fixture.Data{"Corefile": after})
	p.PlanNothing()

	// The add-on puts its own Corefile back.
	p.Set("coredns", "Corefile", before)
	p.PlanRefused([]string{fixture.DriftRefused})
	p.WantLive("coredns", fixture.Data{"Corefile": before})

	// A new Corefile is overwritten only after somebody has saved it again.
	p.Set("coredns", "Corefile", upgraded)
	p.PlanRefused([]string{mismatched, "# of the new version"})
	files(upgraded, after+"# of the new version\n")
	p.PlanApply()
	p.WantLive("coredns", fixture.Data{"Corefile": after + "# of the new version\n"})
	p.PlanNothing()

	// A destroy puts back what was there at first, unless somebody else has written since.
	p.Set("coredns", "Corefile", upgraded)
	p.Export("CAS_PLAN_CHECK", "warning") // the ordinary plan before a destroy refuses drift
	p.Wants(p.Plan("-destroy"), "Warning: Key Stays In Place")
	p.Export("CAS_PLAN_CHECK", "")
	p.Set("coredns", "Corefile", after+"# of the new version\n")
	p.Destroy()
	p.WantLive("coredns", fixture.Data{"Corefile": before})
}

func TestGuideRecipeFlags(t *testing.T) {
	t.Parallel()
	t.Run("one key for each flag", func(t *testing.T) {
		p := guidePipeline(t, "shop", "flags", fixture.Data{"dark_mode": "off", "other": "on"})
		p.Write(guideFile(t, "flags/main.tf"))
		p.Plan()
		p.Set("flags", "other", "off") // is in nobody's way
		p.Apply()
		p.WantLive("flags", fixture.Data{"dark_mode": "off", "new_checkout": "on", "other": "off"})

		// Neither a plan that is older than a switch by hand nor the next plan switches the flag back.
		p.Write(strings.Replace(guideFile(t, "flags/main.tf"), `new_checkout = "on"`, `new_checkout = "50%"`, 1))
		p.Wants(p.Plan(), `"on" -> "50%"`)
		p.Set("flags", "new_checkout", "off")
		p.ApplyRefused(conflicted, "Nothing was written.", "Key: new_checkout", `Found: "off"`)
		p.PlanRefused([]string{fixture.DriftRefused, "Key: new_checkout", `Found: "off"`})
		p.WantLive("flags", fixture.Data{"dark_mode": "off", "new_checkout": "off", "other": "off"})
	})
	t.Run("a freeze", func(t *testing.T) {
		p := guidePipeline(t, "shop", "flags", fixture.Data{"dark_mode": "off"})
		p.Planned(guideFile(t, "flags/freeze.tf"))
		p.PlanNothing()
		runs(p, guideFile(t, "flags/freeze.sh"))
		frozen := fixture.Data{"dark_mode": "off", "new_checkout": "off", "freeze": "Jane, incident 42"}
		p.WantLive("flags", frozen)
		out := p.PlanRefused([]string{mismatched, "Key: freeze", "Expected: (absent)", `Found: "Jane, incident 42"`})
		wantShown(p, "recipes", out)
		p.WantLive("flags", frozen)
		runs(p, guideFile(t, "flags/unfreeze.sh"))
		p.Plan()
		runs(p, guideFile(t, "flags/freeze.sh")) // after the plan
		p.ApplyRefused("Nothing was written.", "Key: freeze", `Found: "Jane, incident 42"`)
		p.WantLive("flags", frozen)
		runs(p, guideFile(t, "flags/unfreeze.sh"))
		p.Wants(p.Plan(), `"off" -> "on"`)
		p.Apply()
		p.WantLive("flags", fixture.Data{"dark_mode": "off", "new_checkout": "on"})
	})
}

// The annotation is removed whatever it holds, and removed again if somebody adds it.
func TestGuideRecipeRemoveField(t *testing.T) {
	t.Parallel()
	for name, annotations := range map[string]string{"with a value": `{"acme.io/draft": "something"}`, "missing": `{"other": "kept"}`} {
		t.Run(name, func(t *testing.T) {
			f := withFieldObjects(t)
			callAPI(f, "PATCH", greenAt, `{"metadata": {"annotations": `+annotations+`}}`)
			p := f.CLIPipeline()
			p.Write(strings.ReplaceAll(guideFile(t, "recipes/remove_field.tf"), `= "web"`, `= "green"`))
			drafts := func() bool { return strings.Contains(callAPI(f, "GET", greenAt, ""), "acme.io/draft") }
			p.PlanApply()
			if drafts() {
				t.Error("the annotation is still there")
			}
			p.PlanNothing()
			callAPI(f, "PATCH", greenAt, `{"metadata": {"annotations": {"acme.io/draft": "again"}}}`)
			p.Plan()
			callAPI(f, "PATCH", greenAt, `{"metadata": {"annotations": {"acme.io/draft": "later"}}}`)
			p.ApplyRefused(conflicted, "Nothing was written.")
			p.PlanApply()
			if drafts() {
				t.Error("the annotation is back")
			}
			p.Destroy()
			if drafts() {
				t.Error("the destroy put the annotation back")
			}
		})
	}
}

func TestGuideRecipeImportIfExists(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, destroyed fixture.Data
		plan              string
	}{
		"exists":  {fixture.Data{"color": "green"}, fixture.Data{"color": "blue"}, "Plan: 1 to import, 0 to add, 1 to change, 0 to destroy."},
		"missing": {nil, nil, "Plan: 1 to add, 0 to change, 0 to destroy."},
	} {
		t.Run(name, func(t *testing.T) {
			f, _ := shop(t, test.before)
			p := f.CLIPipeline()
			p.Write(guideFile(t, "recipes/import_if_exists.tf"))
			p.Wants(p.Plan(), test.plan)
			p.Apply()
			p.WantLive("settings", fixture.Data{"color": "blue"})
			p.PlanNothing()
			p.Destroy()
			p.WantLive("settings", test.destroyed)
		})
	}
}

func TestGuideRecipeMustExist(t *testing.T) {
	t.Parallel()
	f, _ := shop(t, fixture.Data{"color": "green"})
	p := f.CLIPipeline()
	p.Write(guideFile(t, "recipes/must_exist.tf"))
	p.Wants(p.Do("apply", "-auto-approve"), `color = "green"`)
	f.Remove("settings")
	wantShown(p, "recipes", p.PlanRefused([]string{"The ConfigMap shop/settings does not exist."}))
}
