package configmap

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/behavior"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// rehearsesOnly fails the test unless fn sends so many dry runs, and leaves all ConfigMaps as they are.
func rehearsesOnly(p *fixture.Pipeline, dryRuns int, fn func()) {
	p.Helper()
	proxy, before := p.Proxied(), p.ConfigMaps()
	fn()
	p.WantWrites(proxy, "a rehearsal", dryRuns, 0)
	if diff := cmp.Diff(before, p.ConfigMaps()); diff != "" {
		p.Errorf("ConfigMaps (-before +after):\n%s", diff)
	}
}

func TestPlanDryRunOfAConfigMapFindsWhatAPolicyRefuses(t *testing.T) {
	t.Parallel()
	for name, op := range map[string]struct{ before, after, verb string }{
		"create": {after: fixture.WholeBlock("foo", `name = "made"`, `data = { foo = "refused" }`), verb: "create"},
		"create under a generated name": {
			after: fixture.WholeBlock("foo", `generate_name = "made-"`, `data = { foo = "refused" }`), verb: "create",
		},
		"update": {
			before: fixture.WholeBlock("foo", `name = "made"`, `data = { foo = "1" }`), verb: "patch",
			after: fixture.WholeBlock("foo", `name = "made"`, `data = { foo = "refused" }`, `labels = { a = "b" }`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", fixture.Data{"other": "kept"})
			if op.before != "" {
				p.Planned(op.before)
			}
			p.RefuseFoo(metav1.StatusReasonInvalid)
			advice := fixture.PlanCheckAdvice
			if op.before == "" {
				advice = "!" + advice
			}
			rehearsesOnly(p, 1, func() {
				p.WriteRehearsed(op.after)
				p.PlanRefused([]string{
					"Error: Request Refused", "The API server refused to " + op.verb + " the ConfigMap. Nothing was written.", "Status: 422",
					"foo must not be refused", behavior.DryRunAdvice, advice,
				})
			})
			rehearsesOnly(p, 0, func() {
				p.Write(op.after)
				p.Wants(p.Plan(), "!Request Refused")
			})
		})
	}
}

func TestPlanDryRunOfAConfigMapWritesNothing(t *testing.T) {
	p := fixture.NewPipeline(t)
	made := fixture.WholeBlock("foo", `name = "made"`, `data = { foo = "1" }`)
	rehearsesOnly(p, 1, func() {
		p.WriteRehearsed(made)
		p.Plan()
	})
	rehearsesOnly(p, 1, func() {
		p.WriteRehearsed(fixture.WholeBlock("foo", `generate_name = "made-"`, `data = { foo = "1" }`))
		p.Plan()
	})
	p.Planned(made)
	rehearsesOnly(p, 1, func() {
		p.WriteRehearsed(fixture.WholeBlock("foo", `name = "made"`, `data = { foo = "2" }`))
		p.Plan()
	})
	rehearsesOnly(p, 1, func() {
		p.WriteRehearsed(made)
		p.Plan("-destroy")
	})
	rehearsesOnly(p, 0, func() { p.PlanNothing() })
	rehearsesOnly(p, 1, func() {
		p.WriteRehearsed(made + "resource \"cas_configmap\" \"none\" {\n  namespace = \"there-is-none\"\n  name = \"none\"\n}\n")
		p.Wants(p.Plan(), "Warning: Namespace Does Not Exist Yet")
	})
}

func TestPlanDryRunOfAConfigMapNeedsThePermissionToWrite(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Planned(fixture.WholeBlock("updated", `name = "updated"`, `data = { foo = "1" }`) + fixture.WholeBlock("deleted", `name = "deleted"`))
	p.Create("testmap", fixture.Data{"n": "7"})
	body := fixture.WholeBlock("updated", `name = "updated"`, `data = { foo = "2" }`) + fixture.WholeBlock("created", `name = "created"`) +
		fixture.CounterBlock("n", `key = "n"`)
	p.Wants(behavior.NotRehearsed(p, body),
		"permission to create this ConfigMap", "ConfigMap: "+p.Namespace+"/created", "permission to patch this ConfigMap", "ConfigMap: "+p.Namespace+"/updated",
		"permission to delete this ConfigMap. Nothing was removed.", "ConfigMap: "+p.Namespace+"/deleted", "ConfigMap: "+p.Namespace+"/testmap")
}

// The quota controller does not run here, so the test reports the usage.
func TestPlanDryRunFindsAQuotaExceeded(t *testing.T) {
	p := fixture.NewPipeline(t)
	one := corev1.ResourceList{"count/configmaps": resource.MustParse("1")}
	quotas := p.Cluster.Client().CoreV1().ResourceQuotas(p.Namespace)
	quota, err := quotas.Create(t.Context(), &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "few"}, Spec: corev1.ResourceQuotaSpec{Hard: one},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	quota.Status = corev1.ResourceQuotaStatus{Hard: one, Used: one}
	if _, err := quotas.UpdateStatus(t.Context(), quota, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	rehearsesOnly(p, 1, func() {
		p.WriteRehearsed(fixture.WholeBlock("foo", `name = "made"`))
		p.PlanRefused([]string{"Error: Request Refused", "refused to create the ConfigMap", "exceeded quota: few", behavior.DryRunAdvice})
	})
}

// No warning is about a ConfigMap that the same plan creates: the object cannot exist yet.
func TestNoWarningOfAConfigMapThatTheSamePlanCreates(t *testing.T) {
	p := fixture.NewPipeline(t)
	in := func(configMap string) string {
		lines := []string{"name = " + configMap, "depends_on = [cas_configmap.made]"}
		return fixture.EntryBlock("foo", append(lines, `key = "foo"`, `value = "1"`)...) +
			fixture.DataBlock("bar", append(lines, `data = { bar = "1" }`)...) + fixture.CounterBlock("n", append(lines, `key = "n"`)...) +
			fixture.EntryBlock("waits", append(lines, `key = "waits"`, `value = "1"`, `conflict_scope = "key"`, `wait_for_match = "1m"`)...)
	}
	p.Write(fixture.WholeBlock("made", `name = "made"`) + in(`"made"`))
	p.Wants(p.Plan(), "5 to add", "!ConfigMap Does Not Exist Yet", "!Expectation Does Not Hold Yet")
	p.Write(fixture.WholeBlock("made", `name = "made"`) + in(`"other"`))
	p.Wants(p.Plan(), "Warning: ConfigMap Does Not Exist Yet", "Warning: Expectation Does Not Hold Yet")

	p.Write(fixture.WholeBlock("made", `name = "made"`) + in(`"made"`))
	p.Wants(p.Plan(), "!ConfigMap Does Not Exist Yet", "!Expectation Does Not Hold Yet")
	p.Apply()
	p.WantLive("made", fixture.Data{"foo": "1", "bar": "1", "n": "1", "waits": "1"})
	p.PlanNothing()
}

// A plan rehearses with a generated name, which is not the one that the apply makes.
func TestPlanDryRunOfAGeneratedNameThatIsTaken(t *testing.T) {
	p := fixture.NewPipeline(t)
	proxy := p.Proxied()
	taken := ""
	proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.Method == http.MethodPost && r.URL.Query().Has("dryRun") && taken == "" {
			made := &corev1.ConfigMap{}
			if err := json.NewDecoder(r.Body).Decode(made); err != nil {
				t.Error(err)
			}
			taken = made.Name
			p.Create(taken, nil)
		}
		return testcluster.Fault{}
	})
	p.WriteRehearsed(fixture.WholeBlock("foo", `generate_name = "made-"`, `data = { foo = "1" }`))
	p.Plan()
	if taken == "" {
		t.Error("the plan rehearsed nothing")
	}
	p.Apply()
	if name := p.State()["foo"].Attributes["name"]; name == taken {
		t.Errorf("the ConfigMap that another made was taken: %v", name)
	}
}
