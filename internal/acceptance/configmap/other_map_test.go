package configmap

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// Given a ConfigMap of which the resource manages one map; when somebody moves a key to the other map; then the plan says in which one it is, and
// both ways on work: to leave it there, and to move it back.
func TestConfigMapKeyThatSomebodyMovedToTheOtherMap(t *testing.T) {
	t.Parallel()
	const bytes, text = `binary_data = { foo = "MQ==" }`, `data = { foo = "1" }`
	for name, test := range map[string]struct {
		managed    string
		move       func(*corev1.ConfigMap)
		told       []string
		leave      []string
		both       string
		held, left fixture.Contents
	}{
		"to binaryData": {
			text,
			func(cm *corev1.ConfigMap) {
				cm.Data, cm.BinaryData = nil, map[string][]byte{"foo": {1}}
			},
			[]string{
				"foo is in binaryData of the ConfigMap, which this resource does not manage: a key cannot be in both maps. Nothing was written.",
				`Key: foo Found: base64 "AQ==" Changed by: another-writer`,
				"To leave it there, remove it from data. To move it, set binary_data to the keys that it shall have, {} for none: the update removes all others from binaryData.",
			},
			[]string{`data = {}`},
			`binary_data = {}`,
			fixture.Contents{Data: fixture.Data{"foo": "1"}},
			fixture.Contents{Bytes: map[string][]byte{"foo": {1}}},
		},
		"to data": {
			bytes,
			func(cm *corev1.ConfigMap) {
				cm.Data, cm.BinaryData = fixture.Data{"foo": "theirs"}, nil
			},
			[]string{
				"foo is in data of the ConfigMap, which this resource does not manage: a key cannot be in both maps. Nothing was written.",
				`Key: foo Found: "theirs" Changed by: another-writer`,
				"To leave it there, remove it from binary_data. To move it, set data to the keys that it shall have, {} for none: the update removes all others from data.",
			},
			[]string{`binary_data = {}`},
			`data = {}`,
			fixture.Contents{Bytes: map[string][]byte{"foo": []byte("1")}},
			fixture.Contents{Data: fixture.Data{"foo": "theirs"}},
		},
	} {
		run := func(t *testing.T, p *fixture.Pipeline, way string) {
			t.Helper()
			p.Planned(fixture.WholeBlock("all", test.managed))
			p.Change("testmap", test.move)
			p.PlanRefused(append(test.told, "Error: Key In The Other Map", "!changed after", fixture.PlanCheckAdvice))
			if way == "leave it" {
				p.Planned(fixture.WholeBlock("all", test.leave...))
				p.WantContents(test.left)
			} else {
				p.Write(fixture.WholeBlock("all", test.managed, test.both))
				p.Wants(p.Plan(), "Unmanaged Keys Will Change")
				p.Apply()
				p.WantContents(test.held)
			}
			p.PlanNothing()
		}
		for _, way := range []string{"leave it", "move it"} {
			t.Run(name+"/"+way, func(t *testing.T) {
				fixture.OnEachProfile(t, func(p *fixture.Pipeline) { run(t, p, way) })
			})
		}
		if strings.Contains(name, "binaryData") {
			t.Run("on the command line", func(t *testing.T) { run(t, fixture.NewCLIPipeline(t), "move it") })
		}
	}
}

// Given plan_check = "warning" or "off"; then the apply says the same as a plan that is checked, and a destroy goes ahead.
func TestConfigMapKeyInTheOtherMapWithoutThePlansCheck(t *testing.T) {
	for _, check := range []string{"warning", "off"} {
		t.Run(check, func(t *testing.T) {
			fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
				p.Planned(fixture.WholeBlock("all", fixture.Deletes, `data = { foo = "1" }`))
				p.Change("testmap", func(cm *corev1.ConfigMap) {
					cm.Data, cm.BinaryData = nil, map[string][]byte{"foo": {1}}
				})
				p.Export("CAS_PLAN_CHECK", check)
				said := map[string]string{"warning": "Warning: Key In The Other Map", "off": "!Key In The Other Map"}[check]
				p.Wants(p.Plan(), said)
				p.ApplyRefused("Error: Key In The Other Map", "foo is in binaryData of the ConfigMap", "Nothing was written.")
				p.WantContents(fixture.Contents{Bytes: map[string][]byte{"foo": {1}}})
				p.Destroy()
				p.WantNone("testmap")
			})
		})
	}
}
