package acceptance_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// configMaps are the names of those in the fixture's namespace, with their versions.
func (f *fixture) configMaps() map[string]string {
	f.Helper()
	list, err := f.cluster.Client().CoreV1().ConfigMaps(f.namespace).List(context.Background(), metav1.ListOptions{})
	if err != nil {
		f.Fatal(err)
	}
	versions := map[string]string{}
	for _, cm := range list.Items {
		versions[cm.Name] = cm.ResourceVersion
	}
	return versions
}

// rehearsesOnly fails the test unless fn sends so many dry runs, and leaves all ConfigMaps as they are.
func (p *pipeline) rehearsesOnly(dryRuns int, fn func()) {
	p.Helper()
	proxy, before := p.proxied(), p.configMaps()
	fn()
	p.wantWrites(proxy, "a rehearsal", dryRuns, 0)
	if diff := cmp.Diff(before, p.configMaps()); diff != "" {
		p.Errorf("ConfigMaps (-before +after):\n%s", diff)
	}
}

func TestPlanDryRunOfAConfigMapFindsWhatAPolicyRefuses(t *testing.T) {
	t.Parallel()
	for name, op := range map[string]struct{ before, after, verb string }{
		"create": {after: wholeBlock("foo", `name = "made"`, `data = { foo = "refused" }`), verb: "create"},
		"create under a generated name": {
			after: wholeBlock("foo", `generate_name = "made-"`, `data = { foo = "refused" }`), verb: "create",
		},
		"update": {
			before: wholeBlock("foo", `name = "made"`, `data = { foo = "1" }`), verb: "patch",
			after: wholeBlock("foo", `name = "made"`, `data = { foo = "refused" }`, `labels = { a = "b" }`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			p.create("testmap", data{"other": "kept"})
			if op.before != "" {
				p.planned(op.before)
			}
			p.refuseFoo(metav1.StatusReasonInvalid)
			p.rehearsesOnly(1, func() {
				p.writeRehearsed(op.after)
				p.planRefused([]string{
					"Error: Request Refused", "The API server refused to " + op.verb + " the ConfigMap. Nothing was written.", "Status: 422",
					"foo must not be refused", dryRunAdvice, planCheckAdvice,
				})
			})
			p.rehearsesOnly(0, func() {
				p.write(op.after)
				p.wants(p.plan(), "!Request Refused")
			})
		})
	}
}

func TestPlanDryRunOfAConfigMapWritesNothing(t *testing.T) {
	p := newPipeline(t)
	made := wholeBlock("foo", `name = "made"`, `data = { foo = "1" }`)
	p.rehearsesOnly(1, func() {
		p.writeRehearsed(made)
		p.plan()
	})
	p.rehearsesOnly(1, func() {
		p.writeRehearsed(wholeBlock("foo", `generate_name = "made-"`, `data = { foo = "1" }`))
		p.plan()
	})
	p.planned(made)
	p.rehearsesOnly(1, func() {
		p.writeRehearsed(wholeBlock("foo", `name = "made"`, `data = { foo = "2" }`))
		p.plan()
	})
	p.rehearsesOnly(1, func() {
		p.writeRehearsed(made)
		p.plan("-destroy")
	})
	p.rehearsesOnly(0, func() { p.planNothing() })
	p.rehearsesOnly(1, func() {
		p.writeRehearsed(made + "resource \"cas_configmap\" \"none\" {\n  namespace = \"there-is-none\"\n  name = \"none\"\n}\n")
		p.wants(p.plan(), "Warning: Namespace Does Not Exist Yet")
	})
}

func TestPlanDryRunOfAConfigMapNeedsThePermissionToWrite(t *testing.T) {
	p := newPipeline(t)
	p.planned(wholeBlock("updated", `name = "updated"`, `data = { foo = "1" }`) + wholeBlock("deleted", `name = "deleted"`))
	p.create("testmap", data{"n": "7"})
	body := wholeBlock("updated", `name = "updated"`, `data = { foo = "2" }`) + wholeBlock("created", `name = "created"`) +
		counterBlock("n", `key = "n"`)
	p.wants(p.notRehearsed(body),
		"permission to create this ConfigMap", "ConfigMap: "+p.namespace+"/created", "permission to patch this ConfigMap", "ConfigMap: "+p.namespace+"/updated",
		"permission to delete this ConfigMap. Nothing was removed.", "ConfigMap: "+p.namespace+"/deleted", "ConfigMap: "+p.namespace+"/testmap")
}

// The controller that keeps account of what is used does not run here, so that the test does.
func TestPlanDryRunFindsAQuotaExceeded(t *testing.T) {
	p := newPipeline(t)
	one := corev1.ResourceList{"count/configmaps": resource.MustParse("1")}
	quotas := p.cluster.Client().CoreV1().ResourceQuotas(p.namespace)
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
	p.rehearsesOnly(1, func() {
		p.writeRehearsed(wholeBlock("foo", `name = "made"`))
		p.planRefused([]string{"Error: Not Permitted", "permission to create this ConfigMap", "exceeded quota: few", dryRunAdvice})
	})
}

// What is planned in a ConfigMap that the same plan creates is not warned of: it cannot be there yet.
func TestNoWarningOfAConfigMapThatTheSamePlanCreates(t *testing.T) {
	p := newPipeline(t)
	in := func(configMap string) string {
		lines := []string{"name = " + configMap, "depends_on = [cas_configmap.made]"}
		return entryBlock("foo", append(lines, `key = "foo"`, `value = "1"`)...) +
			dataBlock("bar", append(lines, `data = { bar = "1" }`)...) + counterBlock("n", append(lines, `key = "n"`)...) +
			entryBlock("waits", append(lines, `key = "waits"`, `value = "1"`, `conflict_scope = "key"`, `wait_for_match = "1m"`)...)
	}
	p.write(wholeBlock("made", `name = "made"`) + in(`"made"`))
	p.wants(p.plan(), "5 to add", "!ConfigMap Does Not Exist Yet", "!Expectation Does Not Hold Yet")
	p.write(wholeBlock("made", `name = "made"`) + in(`"other"`))
	p.wants(p.plan(), "Warning: ConfigMap Does Not Exist Yet", "Warning: Expectation Does Not Hold Yet")

	p.write(wholeBlock("made", `name = "made"`) + in(`"made"`))
	p.wants(p.plan(), "!ConfigMap Does Not Exist Yet", "!Expectation Does Not Hold Yet")
	p.apply()
	p.wantLive("made", data{"foo": "1", "bar": "1", "n": "1", "waits": "1"})
	p.planNothing()
}

// A plan rehearses with a generated name, which is not the one that the apply makes.
func TestPlanDryRunOfAGeneratedNameThatIsTaken(t *testing.T) {
	p := newPipeline(t)
	proxy := p.proxied()
	taken := ""
	proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.Method == http.MethodPost && r.URL.Query().Has("dryRun") && taken == "" {
			made := &corev1.ConfigMap{}
			if err := json.NewDecoder(r.Body).Decode(made); err != nil {
				t.Error(err)
			}
			taken = made.Name
			p.create(taken, nil)
		}
		return testcluster.Fault{}
	})
	p.writeRehearsed(wholeBlock("foo", `generate_name = "made-"`, `data = { foo = "1" }`))
	p.plan()
	if taken == "" {
		t.Error("the plan rehearsed nothing")
	}
	p.apply()
	if name := p.state()["foo"].Attributes["name"]; name == taken {
		t.Errorf("the ConfigMap that another made was taken: %v", name)
	}
}
