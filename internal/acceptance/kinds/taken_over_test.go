package kinds

import (
	"fmt"
	"maps"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// A whole object that begins to manage a map or a label: the values that are there are adopted if they are as planned, and
// are refused like a key that exists otherwise.

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

// foreignWrites returns the writes of another writer between a plan and its apply.
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

// Given a part that is adopted as it is; when another writes to the object after the plan; then the apply is a conflict, and
// the next one succeeds if the part is as planned.
func TestPartThatIsAdoptedWhileAnotherWritesIt(t *testing.T) {
	t.Parallel()
	test := func(t *testing.T, p *fixture.Pipeline, of takenOver, foreign func(p *fixture.Pipeline)) {
		t.Helper()
		p.Planned(of.block(""))
		of.set(p, "1")
		p.Write(of.block("1"))
		p.Plan()
		foreign(p)
		before := of.get(p)
		p.ApplyRefused("Error: Compare-And-Swap Conflict", "Nothing was written.", "!inconsistent")
		if now := of.get(p); !maps.Equal(now, before) {
			t.Errorf("it holds %q, want %q", now, before)
		}
		of.set(p, "1")
		p.PlanApply()
		p.PlanNothing()
	}
	for part, of := range takenOverParts {
		for then, foreign := range of.foreignWrites() {
			for _, check := range []string{"error", "warning"} {
				t.Run(fmt.Sprintf("%s/then %s/plan_check %s", part, then, check), func(t *testing.T) {
					t.Parallel()
					fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
						p.Export("CAS_PLAN_CHECK", check)
						test(t, p, of, foreign)
					})
				})
			}
		}
	}
}

// Given a part that holds something else; then the plan refuses it, and replaces it at a version.
func TestPartThatHoldsSomethingElse(t *testing.T) {
	t.Parallel()
	for part, of := range takenOverParts {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
				p.Planned(of.block(""))
				of.set(p, "theirs")
				p.Write(of.block("1"))
				p.PlanRefused([]string{"Error: Key Already Exists", "foo already exists with another value.", "To keep it, set"})
				var version string
				if of.isSecret {
					version = p.LiveSecret("testmap").ResourceVersion
				} else {
					version = p.Live("testmap").ResourceVersion
				}
				p.Write(of.block("1", `expected_resource_version_wo = `+fixture.Quoted(version)))
				p.Wants(p.Plan(), "Unmanaged Keys Will Change")
				p.Apply()
				if now := of.get(p); !maps.Equal(now, fixture.Data{"foo": "1"}) {
					t.Errorf("it holds %q", now)
				}
				p.Write(of.block("1"))
				p.PlanNothing()
			})
		})
	}
}

// Given a map that has keys; when the configuration says that it is empty; then the plan refuses that.
func TestMapThatIsTakenOverByAnEmptyMap(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"data", "binary_data", "data_wo"} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
				of := takenOverParts[part]
				p.Planned(of.block(""))
				of.set(p, "theirs")
				empty := of
				empty.line = part + " = {}%.0s"
				p.Write(empty.block("none"))
				p.PlanRefused([]string{"Error: Key Already Exists", "foo already exists, and the configuration lacks it.", "Key: foo"})
			})
		})
	}
}
