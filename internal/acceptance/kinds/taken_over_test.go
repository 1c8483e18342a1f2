package kinds

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// A whole object that begins to manage a part that it left to others so far: only the live object says what is there. The plan looks, and the apply
// plans again, with what is there by then.

// takenOver is a part of a whole object that is taken over.
type takenOver struct {
	isSecret bool
	line     string // of the configuration, with the value
	set      func(p *fixture.Pipeline, value string)
	get      func(p *fixture.Pipeline) fixture.Data
}

// ofMeta is a part that both kinds have.
func ofMeta(isSecret bool, line string, part func(*metav1.ObjectMeta) *map[string]string) takenOver {
	change := func(p *fixture.Pipeline, do func(*metav1.ObjectMeta)) {
		if isSecret {
			p.ChangeSecret("testmap", func(s *corev1.Secret) { do(&s.ObjectMeta) })
		} else {
			p.Change("testmap", func(cm *corev1.ConfigMap) { do(&cm.ObjectMeta) })
		}
	}
	return takenOver{
		isSecret, line,
		func(p *fixture.Pipeline, value string) {
			change(p, func(m *metav1.ObjectMeta) { *part(m) = fixture.Data{"foo": value} })
		},
		func(p *fixture.Pipeline) fixture.Data {
			if isSecret {
				return *part(&p.LiveSecret("testmap").ObjectMeta)
			}
			return *part(&p.Live("testmap").ObjectMeta)
		},
	}
}

func labelsOf(m *metav1.ObjectMeta) *map[string]string { return &m.Labels }

var takenOverParts = map[string]takenOver{
	"data": {
		false, `data = { foo = %q }`,
		func(p *fixture.Pipeline, value string) {
			p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Data = fixture.Data{"foo": value} })
		},
		func(p *fixture.Pipeline) fixture.Data { return p.Live("testmap").Data },
	},
	"binary_data": {
		false, `binary_data = { foo = base64encode(%q) }`,
		func(p *fixture.Pipeline, value string) {
			p.Change("testmap", func(cm *corev1.ConfigMap) { cm.BinaryData = fixture.BytesOf(fixture.Data{"foo": value}) })
		},
		func(p *fixture.Pipeline) fixture.Data { return textsOf(p.Live("testmap").BinaryData) },
	},
	"labels":      ofMeta(false, `labels = { foo = %q }`, labelsOf),
	"annotations": ofMeta(false, `annotations = { foo = %q }`, func(m *metav1.ObjectMeta) *map[string]string { return &m.Annotations }),
	"data_wo": {
		true, `data_wo = { foo = %q }`,
		func(p *fixture.Pipeline, value string) { p.Rotate("testmap", "foo", value) },
		func(p *fixture.Pipeline) fixture.Data { return textsOf(p.LiveSecret("testmap").Data) },
	},
	"labels of a Secret": ofMeta(true, `labels = { foo = %q }`, labelsOf),
}

func textsOf(values map[string][]byte) fixture.Data {
	texts := fixture.Data{}
	for key, value := range values {
		texts[key] = string(value)
	}
	return texts
}

// block is the resource with the part, or without it where value is empty.
func (of takenOver) block(value string, lines ...string) string {
	if value != "" {
		lines = append(lines, fmt.Sprintf(of.line, value))
	}
	if of.isSecret {
		return fixture.SecretBlock(append(lines, `name = "testmap"`)...)
	}
	return fixture.WholeBlock("it", lines...)
}

// foreignWrites are what another may do between a plan and its apply.
func (of takenOver) foreignWrites() map[string]func(p *fixture.Pipeline) {
	return map[string]func(p *fixture.Pipeline){
		"changed":    func(p *fixture.Pipeline) { of.set(p, "9") },
		"as planned": func(p *fixture.Pipeline) { of.set(p, "9"); of.set(p, "1") },
		"another part": func(p *fixture.Pipeline) {
			if of.isSecret {
				p.ChangeSecret("testmap", func(s *corev1.Secret) { s.Annotations = fixture.Data{"other": "1"} })
			} else {
				p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Annotations = fixture.Data{"other": "1"} })
			}
		},
	}
}

// Given a part that is taken over, which holds what the configuration says, or something else; when another writes to the object after the plan;
// then the apply is a conflict, and the next one succeeds.
func TestPartThatIsTakenOverWhileAnotherWritesIt(t *testing.T) {
	t.Parallel()
	test := func(t *testing.T, p *fixture.Pipeline, of takenOver, found string, foreign func(p *fixture.Pipeline)) {
		t.Helper()
		p.Planned(of.block(""))
		of.set(p, found)
		p.Write(of.block("1"))
		p.Plan()
		foreign(p)
		before := of.get(p)
		p.ApplyRefused("Error: Compare-And-Swap Conflict", "Nothing was written.", "!inconsistent")
		if now := of.get(p); !maps.Equal(now, before) {
			t.Errorf("it holds %q, want %q", now, before)
		}
		p.PlanApply()
		if now := of.get(p); !maps.Equal(now, fixture.Data{"foo": "1"}) {
			t.Errorf("after the next apply it holds %q", now)
		}
		p.PlanNothing()
	}
	for part, of := range takenOverParts {
		for _, found := range []string{"1", "theirs"} {
			for then, foreign := range of.foreignWrites() {
				for _, check := range []string{"error", "warning"} {
					t.Run(fmt.Sprintf("%s/found %s/then %s/plan_check %s", part, found, then, check), func(t *testing.T) {
						t.Parallel()
						fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
							p.Export("CAS_PLAN_CHECK", check)
							test(t, p, of, found, foreign)
						})
					})
				}
			}
		}
	}
	for _, part := range []string{"data", "labels of a Secret"} {
		t.Run("command line/"+part, func(t *testing.T) {
			p := fixture.NewCLIPipeline(t)
			p.Export("CAS_PLAN_CHECK", "warning")
			test(t, p, takenOverParts[part], "1", takenOverParts[part].foreignWrites()["changed"])
		})
	}
}

// Given an immutable ConfigMap whose data is taken over as it is; when another deletes it and makes it again with other data; then the apply is a
// conflict, and no replacement that its plan has not shown.
func TestImmutableConfigMapThatIsMadeAgainWhileItIsTakenOver(t *testing.T) {
	fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
		p.Export("CAS_PLAN_CHECK", "warning")
		made := func(holds fixture.Data) {
			p.MakeWhole("testmap", fixture.Whole{Data: holds, Immutable: true})
		}
		made(fixture.Data{"foo": "1"})
		p.Planned("import {\nto = cas_configmap.it\nid = \"${NAMESPACE}/testmap\"\n}\n" + fixture.WholeBlock("it", "immutable = true"))
		p.Write(fixture.WholeBlock("it", "immutable = true", `data = { foo = "1" }`))
		p.Wants(p.Plan(), "0 to add, 1 to change, 0 to destroy")
		p.Remove("testmap")
		made(fixture.Data{"foo": "9"})
		p.ApplyRefused("Error: Compare-And-Swap Conflict", "The ConfigMap was deleted and created again", "!inconsistent")
		p.WantLive("testmap", fixture.Data{"foo": "9"})
		p.Wants(p.Plan(), "must be replaced")
	})
}

// Given a part that is taken over by an empty map; then the update removes what is there, which no plan shows by then.
func TestPartThatIsTakenOverByAnEmptyMap(t *testing.T) {
	t.Parallel()
	for part, of := range takenOverParts {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
				attribute, _, _ := strings.Cut(of.line, " ")
				empty := of
				empty.line = attribute + " = {}%.0s"
				p.Planned(of.block(""))
				of.set(p, "theirs")
				p.Write(empty.block("none"))
				p.Wants(p.Plan(), "Unmanaged Keys Will Change")
				p.Apply()
				if now := of.get(p); len(now) > 0 {
					t.Errorf("it holds %q", now)
				}
				p.PlanNothing()
			})
		})
	}
}
