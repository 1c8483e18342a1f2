package docs

import (
	"context"
	"testing"

	k8stypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestGuideHelm(t *testing.T) {
	t.Parallel()
	p := guidePipeline(t, "shop", "settings", nil)
	p.Remove("settings")
	p.On.Write("manifest.yaml", guideFile(t, "helm/manifest.yaml"))
	runs(p, guideFile(t, "helm/apply.sh"))
	p.Write(guideFile(t, "helm/main.tf"))
	wantShown(p, "helm", p.Plan())
	p.Apply()
	p.WantLive("settings", fixture.Data{"color": "green", "log_level": "debug"})

	manifest, err := yaml.ToJSON([]byte(guideFile(t, "helm/manifest.yaml")))
	if err != nil {
		t.Fatal(err)
	}
	err = p.Cluster.Client().CoreV1().RESTClient().Patch(k8stypes.ApplyPatchType).
		AbsPath("/api/v1/namespaces/shop/configmaps/settings").Param("fieldManager", "helm").Body(manifest).Do(context.Background()).Error()
	if err == nil {
		t.Fatal("the apply of the owner does not conflict")
	}
	wantShown(p, "helm", "error: "+err.Error())

	p.Destroy()
	runs(p, guideFile(t, "helm/apply.sh"))
	p.WantLive("settings", fixture.Data{"color": "green", "log_level": "info"})
}
