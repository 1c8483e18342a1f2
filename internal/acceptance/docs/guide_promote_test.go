package docs

import (
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestGuidePromoteConfigMap(t *testing.T) {
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

// shopIn is a Deployment of the guide.
func shopIn(namespace string) string {
	return "/apis/apps/v1/namespaces/" + namespace + "/deployments/shop"
}

func TestGuidePromoteDeployment(t *testing.T) {
	t.Parallel()
	staging := guidePipeline(t, "staging", "deployment", nil)
	p := guidePipeline(t, "production", "deployment", nil)
	image := func(tag string) string {
		return `{"spec":{"template":{"spec":{"containers":[{"name":"shop","image":"` + tag + `"}]}}}}`
	}
	for path, tag := range map[string]string{shopIn("staging"): "shop:2", shopIn("production"): "shop:1"} {
		callAPI(p.Fixture, "DELETE", path, "")
		callAPI(p.Fixture, "POST", filepath.Dir(path), `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"shop"},"spec":{"replicas":2,`+
			`"selector":{"matchLabels":{"app":"shop"}},"template":{"metadata":{"labels":{"app":"shop"}},"spec":{"containers":[{"name":"shop","image":"`+tag+`"}]}}}}`)
		t.Cleanup(func() { callAPI(p.Fixture, "DELETE", path, "") })
	}
	wantsImage := func(tag string) {
		t.Helper()
		if live := callAPI(p.Fixture, "GET", shopIn("production"), ""); !strings.Contains(live, `"image":"`+tag+`"`) {
			t.Errorf("production lacks %s: %s", tag, live)
		}
	}
	p.Write(guideFile(t, "promote/deployment.tf"))
	replaces := func(image string) string { return "-var=replaces=" + image }

	wantShown(p, "promote", p.PlanRefused([]string{"Staging has not rolled out its image."}, replaces("shop:1")))
	callAPI(staging.Fixture, "PATCH", shopIn("staging")+"/status",
		`{"status":{"observedGeneration":1,"replicas":2,"updatedReplicas":2,"readyReplicas":2,"availableReplicas":2}}`)

	// A hotfix comes between plan and apply.
	p.Plan(replaces("shop:1"))
	callAPI(p.Fixture, "PATCH", shopIn("production"), image("shop:1-hotfix"))
	wantShown(p, "promote", p.ApplyRefused(mismatched, "Nothing was written."))
	wantsImage("shop:1-hotfix")

	// Staging moves on after the plan.
	p.Plan(replaces("shop:1-hotfix"))
	callAPI(staging.Fixture, "PATCH", shopIn("staging"), image("shop:3"))
	p.Apply()
	wantsImage("shop:2")
	p.PlanRefused([]string{"Staging has not rolled out its image."}, replaces("shop:2"))

	// A freeze.
	callAPI(staging.Fixture, "PATCH", shopIn("staging")+"/status", `{"status":{"observedGeneration":2}}`)
	p.Plan(replaces("shop:2"))
	callAPI(p.Fixture, "PATCH", shopIn("production"), `{"metadata":{"annotations":{"acme.io/freeze":"Christmas"}}}`)
	p.ApplyRefused("Nothing was written.", "Christmas")
	wantsImage("shop:2")
}

// nextImage changes the ConfigMap as a pipeline of staging does.
func nextImage(cm *corev1.ConfigMap) { cm.Data["image"], cm.Data["verified"] = "shop:3", "" }
