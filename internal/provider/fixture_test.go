package provider

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// fixture is a namespace of the real control plane that one test has to itself. Its methods fail the test; they look at
// and change live objects through a client that has nothing to do with the provider.
type fixture struct {
	*testing.T
	cluster    *testcluster.Cluster
	namespace  string
	kubeconfig string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	t.Parallel()
	c := testcluster.Shared(t)
	return &fixture{T: t, cluster: c, namespace: c.Namespace(t), kubeconfig: c.Kubeconfig(t, c.Config)}
}

// create makes a ConfigMap as another writer.
func (f *fixture) create(name string, data map[string]string) *corev1.ConfigMap {
	f.Helper()
	return f.createObject(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data})
}

func (f *fixture) createObject(cm *corev1.ConfigMap) *corev1.ConfigMap {
	f.Helper()
	made, err := f.cluster.Client().CoreV1().ConfigMaps(f.namespace).Create(context.Background(), cm, metav1.CreateOptions{FieldManager: "another-writer"})
	if err != nil {
		f.Fatal(err)
	}
	return made
}

// live reads a ConfigMap.
func (f *fixture) live(name string) *corev1.ConfigMap {
	f.Helper()
	cm, err := f.cluster.Client().CoreV1().ConfigMaps(f.namespace).Get(context.Background(), name, metav1.GetOptions{})
	if err != nil {
		f.Fatal(err)
	}
	return cm
}

// change changes a ConfigMap as another writer.
func (f *fixture) change(name string, change func(*corev1.ConfigMap)) *corev1.ConfigMap {
	f.Helper()
	cm := f.live(name)
	change(cm)
	changed, err := f.cluster.Client().CoreV1().ConfigMaps(f.namespace).Update(context.Background(), cm, metav1.UpdateOptions{FieldManager: "another-writer"})
	if err != nil {
		f.Fatal(err)
	}
	return changed
}

// set sets one key of a ConfigMap as another writer.
func (f *fixture) set(name, key, value string) {
	f.Helper()
	f.change(name, func(cm *corev1.ConfigMap) {
		if cm.Data == nil {
			cm.Data = map[string]string{}
		}
		delete(cm.BinaryData, key)
		cm.Data[key] = value
	})
}

// unset removes one key of a ConfigMap as another writer.
func (f *fixture) unset(name, key string) {
	f.Helper()
	f.change(name, func(cm *corev1.ConfigMap) {
		delete(cm.Data, key)
		delete(cm.BinaryData, key)
	})
}

// remove deletes a ConfigMap as another writer.
func (f *fixture) remove(name string) {
	f.Helper()
	err := f.cluster.Client().CoreV1().ConfigMaps(f.namespace).Delete(context.Background(), name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		f.Fatal(err)
	}
}

// wantLive fails the test unless data of the ConfigMap holds just that.
func (f *fixture) wantLive(name string, want map[string]string) {
	f.Helper()
	got := f.live(name).Data
	if len(got) != len(want) {
		f.Errorf("live configmap %s holds %q, want %q", name, got, want)
		return
	}
	for k, v := range want {
		if got[k] != v {
			f.Errorf("live configmap %s holds %q, want %q", name, got, want)
			return
		}
	}
}

// config is a configuration for this fixture's namespace: every NAMESPACE in body is replaced by its quoted name.
func (f *fixture) config(body string) string { return f.configFor(f.kubeconfig, "", body) }

// configFor is config with another kubeconfig and further lines in the provider block.
func (f *fixture) configFor(kubeconfig, providerBody, body string) string {
	return fmt.Sprintf("provider \"cas\" {\n  config_path = %q\n%s\n}\n", kubeconfig, providerBody) +
		strings.ReplaceAll(body, "NAMESPACE", fmt.Sprintf("%q", f.namespace))
}

// run runs the steps with the provider in this process and the real command line.
func (f *fixture) run(steps ...resource.TestStep) {
	f.Helper()
	runSteps(f.T, resource.TestCase{Steps: steps})
}

// runSteps is resource.Test that does not depend on TF_ACC: the control plane is real and at hand.
func runSteps(t *testing.T, test resource.TestCase) {
	t.Helper()
	test.IsUnitTest = true
	test.ProtoV6ProviderFactories = map[string]func() (tfprotov6.ProviderServer, error){
		"cas": providerserver.NewProtocol6WithError(New("test")()),
	}
	resource.Test(t, test)
}

// between runs fn between the saved plan and its apply; a ConfigPlanChecks.PreApply check.
func between(fn func()) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{planCheckFunc(fn)}}
}

type planCheckFunc func()

// CheckPlan implements plancheck.PlanCheck.
func (fn planCheckFunc) CheckPlan(context.Context, plancheck.CheckPlanRequest, *plancheck.CheckPlanResponse) {
	fn()
}
