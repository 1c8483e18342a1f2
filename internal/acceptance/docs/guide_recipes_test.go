package docs

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
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

func TestGuideRecipeAwsAuth(t *testing.T) {
	t.Parallel()
	const nodes = "- rolearn: arn:aws:iam::111122223333:role/nodes\n  username: system:node:{{EC2PrivateDNSName}}\n  groups: [system:nodes]\n"
	p := guidePipeline(t, "kube-system", "aws-auth", fixture.Data{"mapRoles": nodes, "mapUsers": "[]"})
	p.Write(guideFile(t, "aws-auth/main.tf"))
	wantRoles := func(want ...string) {
		t.Helper()
		live := p.Live("aws-auth").Data
		var roles []struct {
			RoleARN string `json:"rolearn"`
		}
		if err := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(live["mapRoles"]), 1024).Decode(&roles); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, role := range roles {
			got = append(got, filepath.Base(role.RoleARN))
		}
		if diff := cmp.Diff(want, got); diff != "" || live["mapUsers"] != "[]" {
			t.Errorf("mapUsers is %q, and the roles are (-want +got):\n%s", live["mapUsers"], diff)
		}
	}
	addRole := func(name string) {
		p.Set("aws-auth", "mapRoles", p.Live("aws-auth").Data["mapRoles"]+"- rolearn: arn:aws:iam::111122223333:role/"+name+"\n  username: "+name+"\n")
	}

	// A node group comes between plan and apply.
	p.Plan()
	addRole("more-nodes")
	p.ApplyRefused(conflicted, "Nothing was written.", "Changed by: another-writer")
	wantRoles("nodes", "more-nodes")
	p.PlanApply()
	wantRoles("nodes", "more-nodes", "deployer")
	p.PlanNothing()

	// A role that somebody adds after the apply stays.
	p.Write(guideFile(t, "aws-auth/main.tf"))
	p.Plan("-var=present=false")
	addRole("third")
	p.ApplyRefused(conflicted, "Nothing was written.")
	wantRoles("nodes", "more-nodes", "deployer", "third")
	p.PlanApply()
	wantRoles("nodes", "more-nodes", "third", "deployer")
	p.PlanNothing()

	p.PlanApply("-var=present=false")
	wantRoles("nodes", "more-nodes", "third")
	p.Destroy("-var=present=false")
	wantRoles("nodes", "more-nodes", "third")

	// Where there is no such key yet, there is one role.
	p.Unset("aws-auth", "mapRoles")
	p.PlanRefused([]string{"Error: "})
	p.Planned(importing.ReplaceAllString(guideFile(t, "aws-auth/main.tf"), ""))
	wantRoles("deployer")

	// A role that somebody adds between the read of the list and the refresh of the state is not lost either.
	proxy := p.Cluster.Proxy(t)
	p.WriteFor(p.Cluster.Kubeconfig(t, proxy.Config), "", importing.ReplaceAllString(guideFile(t, "aws-auth/main.tf"), ""))
	var once sync.Once
	proxy.SetHook(func(*http.Request) testcluster.Fault {
		return testcluster.Fault{Answered: func(*http.Response) { once.Do(func() { addRole("fourth") }) }}
	})
	if p.CLI.Plan(fixture.PlanFile, "-var=present=false").ExitCode == 2 { // the refresh was content with what had just been read
		p.ApplyRefused(conflicted, "Nothing was written.")
	}
	wantRoles("deployer", "fourth")
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
	t.Run("a file of flags", func(t *testing.T) {
		p := guidePipeline(t, "shop", "flags", fixture.Data{"flags.json": `{"dark_mode": false}`})
		p.Write(guideFile(t, "flags/file.tf"))
		p.Plan()
		p.Set("flags", "flags.json", `{"dark_mode": true}`)
		p.ApplyRefused(conflicted, "Nothing was written.", `Found: "{\"dark_mode\": true}"`)
		p.WantLive("flags", fixture.Data{"flags.json": `{"dark_mode": true}`})
		p.PlanApply()
		p.WantLive("flags", fixture.Data{"flags.json": `{"dark_mode":true,"new_checkout":true}`})
		p.PlanNothing()
		p.Destroy()
		p.WantLive("flags", fixture.Data{"flags.json": `{"dark_mode":true,"new_checkout":true}`})
	})
}

func TestGuideRecipePromote(t *testing.T) {
	t.Parallel()
	staging := guidePipeline(t, "staging", "release", fixture.Data{"image": "shop:2", "verified": "shop:1"})
	p := guidePipeline(t, "production", "release", fixture.Data{"image": "shop:1", "other": "kept"})
	p.Write(guideFile(t, "promote/main.tf"))
	replaces := func(image string) string { return "-var=replaces=" + image }

	p.PlanRefused([]string{"Staging has not verified the image that it runs."}, replaces("shop:1"))
	staging.Set("release", "verified", "shop:2")
	p.PlanRefused([]string{mismatched, "Key: image", `Expected: "shop:0"`, `Found: "shop:1"`}, replaces("shop:0"))

	// The apply promotes the image of the plan, although staging has moved on, unless production has changed.
	p.Plan(replaces("shop:1"))
	p.Set("release", "image", "shop:1-hotfix")
	p.ApplyRefused(mismatched, "Nothing was written.", `Found: "shop:1-hotfix"`)
	p.WantLive("release", fixture.Data{"image": "shop:1-hotfix", "other": "kept"})
	p.Plan(replaces("shop:1-hotfix"))
	staging.Change("release", nextImage)
	p.Apply()
	p.WantLive("release", fixture.Data{"image": "shop:2", "other": "kept"})

	// A freeze holds it, from the plan's end on, too.
	staging.Set("release", "verified", "shop:3")
	p.Plan(replaces("shop:2"))
	p.Set("release", "freeze", "Christmas")
	p.ApplyRefused("Nothing was written.", "Found: ", "Christmas")
	p.PlanRefused([]string{mismatched, "Key: freeze", `Found: "Christmas"`}, replaces("shop:2"))
	p.WantLive("release", fixture.Data{"image": "shop:2", "other": "kept", "freeze": "Christmas"})
}

var importing = regexp.MustCompile(`(?m)^import \{\n(?:.*\n)*?\}\n`)

// nextImage changes the ConfigMap as a pipeline of staging does.
func nextImage(cm *corev1.ConfigMap) { cm.Data["image"], cm.Data["verified"] = "shop:3", "" }
