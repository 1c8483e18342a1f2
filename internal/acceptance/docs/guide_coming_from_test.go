package docs

import (
	"encoding/json"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// applyAs sends what kubernetes_config_map_v1_data sends: all of its data, applied by the server under the name of a field manager.
func applyAs(f *fixture.Fixture, manager string, force bool, values fixture.Data) error {
	f.Helper()
	body, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "settings", "namespace": f.Namespace}, "data": values,
	})
	if err != nil {
		f.Fatal(err)
	}
	_, err = f.Cluster.Client().CoreV1().ConfigMaps(f.Namespace).Patch(f.Context(), "settings", types.ApplyPatchType, body,
		metav1.PatchOptions{FieldManager: manager, Force: &force})
	return err
}

// owners are the managers of the ConfigMap's keys, by key.
func owners(f *fixture.Fixture) map[string][]string {
	f.Helper()
	all := map[string][]string{}
	for _, entry := range f.Live("settings").ManagedFields {
		var fields struct {
			Data map[string]any `json:"f:data"`
		}
		if err := json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields); err != nil {
			f.Fatal(err)
		}
		for field := range fields.Data {
			if key, isKey := strings.CutPrefix(field, "f:"); isKey {
				all[key] = append(all[key], entry.Manager)
			}
		}
	}
	for _, managers := range all {
		slices.Sort(managers)
	}
	return all
}

func wantOwners(f *fixture.Fixture, want map[string][]string) {
	f.Helper()
	if diff := cmp.Diff(want, owners(f)); diff != "" {
		f.Errorf("who manages the keys (-want +got):\n%s", diff)
	}
}

// movedSteps runs steps with a stand-in for hashicorp/kubernetes, whose whole ConfigMap is made.
func movedSteps(t *testing.T, made *corev1.ConfigMap, steps ...resource.TestStep) {
	t.Helper()
	fixture.RunCLISteps(t, &fixture.KubernetesStandIn{Made: made}, resource.TestCase{TerraformVersionChecks: fixture.MovesSince, Steps: steps})
}

// The keys of a kubernetes_config_map_v1_data move without a write, then every swap is compared; and they go back.
func TestGuideComingFromData(t *testing.T) {
	t.Parallel()
	f, _ := shop(t, fixture.Data{"other": "kept"})
	given := fixture.Data{"color": "green", "version": "1"}
	if err := applyAs(f, "Terraform", true, given); err != nil {
		t.Fatal(err)
	}
	moved := f.Live("settings")
	all := func(more fixture.Data) fixture.Data {
		values := maps.Clone(given)
		values["other"] = "kept"
		maps.Copy(values, more)
		return values
	}
	const cas, hashicorp, address = "terraform-provider-cas", "Terraform", "cas_configmap_data.release"
	const other = "another-writer"
	action := func(is plancheck.ResourceActionType) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, is)}}
	}
	swap := f.Config(guideFile(t, "coming-from/data_swap.tf"))
	movedSteps(t, nil,
		resource.TestStep{Config: guideFile(t, "coming-from/data_before.tf")},
		resource.TestStep{
			Config: f.Config(guideFile(t, "coming-from/data_after.tf")),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectEmptyPlan(), plancheck.ExpectResourceAction(address, plancheck.ResourceActionNoop),
			}},
			Check: fixture.Checked(func() {
				f.WantUnchanged(moved)
			}),
		},
		resource.TestStep{Config: swap, ConfigPlanChecks: action(plancheck.ResourceActionUpdate), ExpectNonEmptyPlan: true, Check: fixture.Checked(func() {
			// A written key goes over to this provider; an unwritten key stays in the name of the other one.
			f.WantLive("settings", all(fixture.Data{"color": "blue"}))
			wantOwners(f, map[string][]string{"color": {cas}, "version": {hashicorp}, "other": {other}})
			// So another configuration of that provider, which names neither, removes the one and not the other.
			if err := applyAs(f, hashicorp, true, fixture.Data{"theirs": "x"}); err != nil {
				t.Error(err)
			}
			f.WantLive("settings", fixture.Data{"color": "blue", "other": "kept", "theirs": "x"})
		})},
		resource.TestStep{Config: swap, ConfigPlanChecks: action(plancheck.ResourceActionUpdate), Check: fixture.Checked(func() {
			f.WantLive("settings", all(fixture.Data{"color": "blue", "theirs": "x"}))
			wantOwners(f, map[string][]string{"color": {cas}, "version": {cas}, "other": {other}, "theirs": {hashicorp}})
		})},
		// And back. The other provider applies the keys that the removed block leaves, which has to be forced.
		resource.TestStep{Config: f.Config(guideFile(t, "coming-from/back.tf")), Check: fixture.Checked(func() {
			f.WantLive("settings", all(fixture.Data{"color": "blue", "theirs": "x"}))
			back := fixture.Data{"color": "blue", "version": "2", "theirs": "x"}
			if err := applyAs(f, hashicorp, false, back); !apierrors.IsConflict(err) {
				t.Errorf("not refused: %v", err)
			}
			if err := applyAs(f, hashicorp, true, back); err != nil {
				t.Error(err)
			}
			f.WantLive("settings", all(back))
		})},
	)
	f.WantLive("settings", all(fixture.Data{"color": "blue", "version": "2", "theirs": "x"})) // nothing of this provider's is left to destroy
}

// The fields of a document that yamlencode made are adopted without a write. Then another team adds an item.
func TestGuideComingFromYamlencode(t *testing.T) {
	t.Parallel()
	f, _ := shop(t, fixture.Data{"other": "kept"})
	const text = "\"jobs\":\n- \"every\": \"30s\"\n  \"name\": \"api\"\n\"log\":\n  \"level\": \"info\"\n" // as yamlencode writes it
	if err := applyAs(f, "Terraform", true, fixture.Data{"config.yaml": text}); err != nil {
		t.Fatal(err)
	}
	encoded := f.Live("settings")
	after := guideFile(t, "coming-from/document_after.tf")
	_, block, _ := strings.Cut(after, "\n\n") // the resource after the removed block
	team := strings.NewReplacer(`"config" {`, `"team" {`, `"log.level"      = "info"`, "", "api", "batch", "adopt_existing = true", "").Replace(block)
	movedSteps(t, nil,
		resource.TestStep{Config: guideFile(t, "coming-from/document_before.tf")},
		resource.TestStep{Config: f.Config(after), Check: fixture.Checked(func() { f.WantUnchanged(encoded) })},
		resource.TestStep{Config: f.Config(after + team), Check: fixture.Checked(func() {
			want := strings.Replace(text, "\"log\"", "- every: 30s\n  name: batch\n\"log\"", 1)
			f.WantLive("settings", fixture.Data{"config.yaml": want, "other": "kept"})
		})},
	)
	f.WantLive("settings", fixture.Data{"config.yaml": text, "other": "kept"}) // a destroy leaves what was adopted
}

// A whole ConfigMap moves without a write.
func TestGuideComingFromConfigMap(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"kubernetes_config_map_v1", "kubernetes_config_map"} {
		t.Run(kind, func(t *testing.T) {
			f, _ := shop(t, nil)
			f.Remove("settings")
			made := f.MakeWhole("settings", fixture.Whole{Labels: fixture.Data{"app": "shop"}, Data: fixture.Data{"color": "green"}})
			was := strings.ReplaceAll(guideFile(t, "coming-from/configmap_before.tf"), `"kubernetes_config_map_v1"`, `"`+kind+`"`)
			is := strings.ReplaceAll(guideFile(t, "coming-from/configmap_after.tf"), "kubernetes_config_map_v1.", kind+".")
			was = regexp.MustCompile(`(?ms)^    labels = \{.*?^    \}\n|^  data = \{.*?^  \}\n`).ReplaceAllString(was, "") // the stand-in knows them
			movedSteps(t, made,
				resource.TestStep{Config: was},
				resource.TestStep{
					Config: f.Config(is),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectEmptyPlan(), plancheck.ExpectResourceAction("cas_configmap.settings", plancheck.ResourceActionNoop),
					}},
					Check: fixture.Checked(func() {
						f.WantUnchanged(made)
					}),
				})
		})
	}
}

// Each attribute that the tables name as a replacement exists.
func TestGuideComingFromAttributes(t *testing.T) {
	t.Parallel()
	server, end := fixture.StartProvider(os.Getenv)
	defer end()
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, kind := range []string{"cas_configmap_data", "cas_configmap"} {
		attributes := map[string]bool{}
		for _, a := range schemas.ResourceSchemas[kind].Block.Attributes {
			attributes[a.Name] = true
		}
		_, table, _ := strings.Cut(guideText(t, "coming-from"), "| `"+kind+"` | |\n")
		table, _, _ = strings.Cut(table, "\n\n")
		for _, row := range strings.Split(table, "\n")[1:] {
			cells := strings.Split(row, "|")
			for _, name := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(cells[2], -1) {
				found++
				if !attributes[name[1]] {
					t.Errorf("%s has no %s", kind, name[1])
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("the tables name %d attributes", found)
	}
}

// The scripts and the configuration beside them do the same, and refuse the same.
func TestGuideComingFromScripts(t *testing.T) {
	t.Parallel()
	providers := guideFile(t, "coming-from/providers.tf")
	if !strings.Contains(providers, strings.TrimSpace(fixture.TerraformSource)[:30]) {
		t.Error("providers.tf does not name the provider")
	}
	for _, file := range []string{"coming-from/replace.sh", "coming-from/patch.sh"} {
		t.Run(file, func(t *testing.T) {
			p := guidePipeline(t, "shop", "settings", fixture.Data{"foo": "1"})
			runs(p, guideFile(t, file))
			p.WantLive("settings", fixture.Data{"foo": "2"})
			out := fails(p, guideFile(t, file)) // it is 2 now
			if file == "coming-from/patch.sh" {
				wantShown(p, "coming-from", out)
			}
			p.WantLive("settings", fixture.Data{"foo": "2"})
		})
	}
	t.Run("replace.sh, overtaken", func(t *testing.T) {
		p := guidePipeline(t, "shop", "settings", fixture.Data{"foo": "1"})
		text := guideFile(t, "coming-from/replace.sh")
		at := strings.Index(text, "grep")
		runs(p, text[:at])
		p.Set("settings", "bar", "theirs")
		wantShown(p, "coming-from", fails(p, text[at:]))
		p.WantLive("settings", fixture.Data{"foo": "1", "bar": "theirs"})
	})
	t.Run("swap.tf", func(t *testing.T) {
		p := guidePipeline(t, "shop", "settings", fixture.Data{"foo": "1"})
		p.Planned(guideFile(t, "coming-from/swap.tf"))
		p.WantLive("settings", fixture.Data{"foo": "2"})
		p.PlanNothing()
		p.Set("settings", "foo", "99")
		wantShown(p, "coming-from", p.PlanRefused([]string{mismatched}))
		p.WantLive("settings", fixture.Data{"foo": "99"})
	})
}
