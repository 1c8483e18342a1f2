package acceptance_test

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
	p := guidePipeline(t, "kube-system", "coredns", data{"Corefile": before})
	files := func(before, after string) {
		p.cli.Write("Corefile.before", before)
		p.cli.Write("Corefile", after)
	}
	p.runs(guideFile(t, "coredns/save.sh"))
	for _, name := range []string{"Corefile.before", "Corefile"} {
		if saved, err := os.ReadFile(filepath.Join(p.cli.Dir, name)); err != nil || string(saved) != before {
			t.Errorf("%s is %q (%v), want what the ConfigMap holds", name, saved, err)
		}
	}
	p.cli.Write("Corefile", after)
	p.write(guideFile(t, "coredns/main.tf"))

	// The add-on is upgraded between plan and apply.
	upgraded := before + "# of the new version\n"
	p.plan()
	p.set("coredns", "Corefile", upgraded)
	p.applyRefused("Error: Expected Value Mismatch", "Nothing was written.")
	p.wantLive("coredns", data{"Corefile": upgraded})
	p.planRefused([]string{mismatched, "Changed by: another-writer (last write "})

	p.set("coredns", "Corefile", before)
	p.planApply()
	p.wantLive("coredns", data{"Corefile": after})
	p.planNothing()

	// It puts its own Corefile back: the next apply is as the first.
	p.set("coredns", "Corefile", before)
	p.planApply()
	p.wantLive("coredns", data{"Corefile": after})

	// A new one is not overwritten until somebody has looked at it.
	p.set("coredns", "Corefile", upgraded)
	p.planRefused([]string{mismatched, "# of the new version"})
	files(upgraded, after+"# of the new version\n")
	p.planApply()
	p.wantLive("coredns", data{"Corefile": after + "# of the new version\n"})
	p.planNothing()

	// To destroy puts back what was there at the very first, and is refused where somebody else has written since.
	p.set("coredns", "Corefile", upgraded)
	p.destroyRefused([]string{"Error: Value Changed Since Last Apply"})
	p.wantLive("coredns", data{"Corefile": upgraded})
	p.set("coredns", "Corefile", after+"# of the new version\n")
	p.destroy()
	p.wantLive("coredns", data{"Corefile": before})
}

func TestGuideRecipeAwsAuth(t *testing.T) {
	t.Parallel()
	const nodes = "- rolearn: arn:aws:iam::111122223333:role/nodes\n  username: system:node:{{EC2PrivateDNSName}}\n  groups: [system:nodes]\n"
	p := guidePipeline(t, "kube-system", "aws-auth", data{"mapRoles": nodes, "mapUsers": "[]"})
	p.write(guideFile(t, "aws-auth/main.tf"))
	wantRoles := func(want ...string) {
		t.Helper()
		live := p.live("aws-auth").Data
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
		p.set("aws-auth", "mapRoles", p.live("aws-auth").Data["mapRoles"]+"- rolearn: arn:aws:iam::111122223333:role/"+name+"\n  username: "+name+"\n")
	}

	// A node group comes between plan and apply.
	p.plan()
	addRole("more-nodes")
	p.applyRefused(conflicted, "Nothing was written.", "Changed by: another-writer")
	wantRoles("nodes", "more-nodes")
	p.planApply()
	wantRoles("nodes", "more-nodes", "deployer")
	p.planNothing()

	// And another one, after the role is there: it stays, whoever plans next.
	p.write(guideFile(t, "aws-auth/main.tf"))
	p.plan("-var=present=false")
	addRole("third")
	p.applyRefused(conflicted, "Nothing was written.")
	wantRoles("nodes", "more-nodes", "deployer", "third")
	p.planApply()
	wantRoles("nodes", "more-nodes", "third", "deployer")
	p.planNothing()

	p.planApply("-var=present=false")
	wantRoles("nodes", "more-nodes", "third")
	p.destroy("-var=present=false")
	wantRoles("nodes", "more-nodes", "third")

	// Where there is no such key yet, there is one role.
	p.unset("aws-auth", "mapRoles")
	p.planRefused([]string{"Error: "})
	p.planned(importing.ReplaceAllString(guideFile(t, "aws-auth/main.tf"), ""))
	wantRoles("deployer")

	// What comes between the reading of the list and the refresh of the state is not lost either.
	proxy := p.cluster.Proxy(t)
	p.writeFor(p.cluster.Kubeconfig(t, proxy.Config), "", importing.ReplaceAllString(guideFile(t, "aws-auth/main.tf"), ""))
	var once sync.Once
	proxy.SetHook(func(*http.Request) testcluster.Fault {
		return testcluster.Fault{Answered: func(*http.Response) { once.Do(func() { addRole("fourth") }) }}
	})
	if p.cli.Plan(planFile, "-var=present=false").ExitCode == 2 { // the refresh was content with what had just been read
		p.applyRefused(conflicted, "Nothing was written.")
	}
	wantRoles("deployer", "fourth")
}

func TestGuideRecipeFlags(t *testing.T) {
	t.Parallel()
	t.Run("one key for each flag", func(t *testing.T) {
		p := guidePipeline(t, "shop", "flags", data{"dark_mode": "off", "other": "on"})
		p.write(guideFile(t, "flags/main.tf"))
		p.plan()
		p.set("flags", "other", "off") // is in nobody's way
		p.apply()
		p.wantLive("flags", data{"dark_mode": "off", "new_checkout": "on", "other": "off"})

		// A plan that was made before a flag was switched by hand does not switch it back. The next one shows it.
		p.set("flags", "new_checkout", "off")
		p.wants(p.plan(), `"off" -> "on"`)
		p.set("flags", "new_checkout", "5%")
		p.applyRefused(conflicted, "Nothing was written.", "Key: new_checkout", `Found: "5%"`)
		p.wantLive("flags", data{"dark_mode": "off", "new_checkout": "5%", "other": "off"})
		p.wants(p.plan(), `"5%" -> "on"`)
		p.apply()
		p.wantLive("flags", data{"dark_mode": "off", "new_checkout": "on", "other": "off"})
	})
	t.Run("a freeze", func(t *testing.T) {
		p := guidePipeline(t, "shop", "flags", data{"dark_mode": "off"})
		p.planned(guideFile(t, "flags/freeze.tf"))
		p.planNothing()
		p.runs(guideFile(t, "flags/freeze.sh"))
		frozen := data{"dark_mode": "off", "new_checkout": "off", "freeze": "Jane, incident 42"}
		p.wantLive("flags", frozen)
		out := p.planRefused([]string{mismatched, "Key: freeze", "Expected: (absent)", `Found: "Jane, incident 42"`})
		p.wantShown("recipes", out)
		p.wantLive("flags", frozen)
		p.runs(guideFile(t, "flags/unfreeze.sh"))
		p.plan()
		p.runs(guideFile(t, "flags/freeze.sh")) // after the plan
		p.applyRefused("Nothing was written.", "Key: freeze", `Found: "Jane, incident 42"`)
		p.wantLive("flags", frozen)
		p.runs(guideFile(t, "flags/unfreeze.sh"))
		p.wants(p.plan(), `"off" -> "on"`)
		p.apply()
		p.wantLive("flags", data{"dark_mode": "off", "new_checkout": "on"})
	})
	t.Run("a file of flags", func(t *testing.T) {
		p := guidePipeline(t, "shop", "flags", data{"flags.json": `{"dark_mode": false}`})
		p.write(guideFile(t, "flags/file.tf"))
		p.plan()
		p.set("flags", "flags.json", `{"dark_mode": true}`)
		p.applyRefused(conflicted, "Nothing was written.", `Found: "{\"dark_mode\": true}"`)
		p.wantLive("flags", data{"flags.json": `{"dark_mode": true}`})
		p.planApply()
		p.wantLive("flags", data{"flags.json": `{"dark_mode":true,"new_checkout":true}`})
		p.planNothing()
		p.destroy()
		p.wantLive("flags", data{"flags.json": `{"dark_mode":true,"new_checkout":true}`})
	})
}

func TestGuideRecipePromote(t *testing.T) {
	t.Parallel()
	staging := guidePipeline(t, "staging", "release", data{"image": "shop:2", "verified": "shop:1"})
	p := guidePipeline(t, "production", "release", data{"image": "shop:1", "other": "kept"})
	p.write(guideFile(t, "promote/main.tf"))
	replaces := func(image string) string { return "-var=replaces=" + image }

	p.planRefused([]string{"Staging has not verified the image that it runs."}, replaces("shop:1"))
	staging.set("release", "verified", "shop:2")
	p.planRefused([]string{mismatched, "Key: image", `Expected: "shop:0"`, `Found: "shop:1"`}, replaces("shop:0"))

	// What was looked at is promoted, though staging has moved on, unless production has.
	p.plan(replaces("shop:1"))
	p.set("release", "image", "shop:1-hotfix")
	p.applyRefused(mismatched, "Nothing was written.", `Found: "shop:1-hotfix"`)
	p.wantLive("release", data{"image": "shop:1-hotfix", "other": "kept"})
	p.plan(replaces("shop:1-hotfix"))
	staging.change("release", nextImage)
	p.apply()
	p.wantLive("release", data{"image": "shop:2", "other": "kept"})

	// A freeze holds it, from the plan's end on, too.
	staging.set("release", "verified", "shop:3")
	p.plan(replaces("shop:2"))
	p.set("release", "freeze", "Christmas")
	p.applyRefused("Nothing was written.", "Found: ", "Christmas")
	p.planRefused([]string{mismatched, "Key: freeze", `Found: "Christmas"`}, replaces("shop:2"))
	p.wantLive("release", data{"image": "shop:2", "other": "kept", "freeze": "Christmas"})
}

var importing = regexp.MustCompile(`(?m)^import \{\n(?:.*\n)*?\}\n`)

// nextImage is what a pipeline of staging writes.
func nextImage(cm *corev1.ConfigMap) { cm.Data["image"], cm.Data["verified"] = "shop:3", "" }
