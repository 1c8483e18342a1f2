package acceptance_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

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

// fixtureIn is a fixture in a namespace that tests share, with a ConfigMap in it, new, that no other test has at the time.
func fixtureIn(t *testing.T, namespace, configMap string, holds data) (*fixture, *corev1.ConfigMap) {
	t.Helper()
	c := testcluster.Shared(t)
	f := &fixture{T: t, cluster: c, namespace: namespace, kubeconfig: c.Kubeconfig(t, c.Config)}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if _, err := c.Client().CoreV1().Namespaces().Create(t.Context(), ns, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	f.remove(configMap)
	t.Cleanup(func() { f.remove(configMap) })
	return f, f.create(configMap, holds)
}

// data is what an object holds, or its labels or annotations, and contents what both maps of a ConfigMap hold.
type data = map[string]string

type contents struct {
	Data  data
	Bytes map[string][]byte
}

// create makes a ConfigMap as another writer.
func (f *fixture) create(name string, holds data) *corev1.ConfigMap {
	f.Helper()
	return f.createObject(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: holds})
}

// testmap makes the ConfigMap testmap as another writer.
func (f *fixture) testmap(holds contents) {
	f.Helper()
	f.createObject(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "testmap"}, Data: holds.Data, BinaryData: holds.Bytes})
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
			cm.Data = data{}
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

func (f *fixture) exists(name string) bool {
	f.Helper()
	_, there := f.configMaps()[name]
	return there
}

// wantLive fails the test unless data of the ConfigMap holds just that, and binaryData just these keys.
func (f *fixture) wantLive(name string, want data, binary ...string) {
	f.Helper()
	cm := f.live(name)
	if !maps.Equal(cm.Data, want) {
		f.Errorf("live configmap %s holds %q, want %q", name, cm.Data, want)
	}
	if got := slices.Sorted(maps.Keys(cm.BinaryData)); !slices.Equal(got, binary) {
		f.Errorf("binaryData of the live configmap %s holds %q, want %q", name, got, binary)
	}
}

// wantContents fails the test unless the ConfigMap testmap holds just these bytes.
func (f *fixture) wantContents(want contents) {
	f.Helper()
	cm := f.live("testmap")
	if diff := cmp.Diff(want, contents{cm.Data, cm.BinaryData}, cmpopts.EquateEmpty()); diff != "" {
		f.Errorf("live (-want +got):\n%s", diff)
	}
}

// wantUnchanged fails the test where the ConfigMap is not as it was.
func (f *fixture) wantUnchanged(was *corev1.ConfigMap) {
	f.Helper()
	if diff := cmp.Diff(was, f.live(was.Name)); diff != "" {
		f.Errorf("%s changed (-before +now):\n%s", was.Name, diff)
	}
}

// ownersOf are the managers to which managedFields of testmap say that a key belongs.
func (f *fixture) ownersOf(key string) (owners []string) {
	f.Helper()
	for _, m := range f.live("testmap").ManagedFields {
		if strings.Contains(m.FieldsV1.GetRawString(), `"f:`+key+`"`) {
			owners = append(owners, m.Manager)
		}
	}
	return owners
}

// wantOwner fails the test unless foo of testmap belongs to just this manager.
func (f *fixture) wantOwner(want string) {
	f.Helper()
	if owners := f.ownersOf("foo"); !slices.Equal(owners, []string{want}) {
		f.Errorf("%q own foo, want %s to", owners, want)
	}
}

// wantNone fails the test where there is a ConfigMap of this name.
func (f *fixture) wantNone(name string) {
	f.Helper()
	if f.exists(name) {
		f.Errorf("the ConfigMap %s is there", name)
	}
}

// config is a configuration for this fixture's namespace: every NAMESPACE in body is replaced by its quoted name.
func (f *fixture) config(body string) string { return f.configFor(f.kubeconfig, "", body) }

// configFor is config with another kubeconfig and further lines in the provider block.
func (f *fixture) configFor(kubeconfig, providerBody, body string) string {
	return fmt.Sprintf("provider \"cas\" {\n  config_path = %q\n%s\n}\n", kubeconfig, providerBody) +
		strings.ReplaceAll(body, "NAMESPACE", fmt.Sprintf("%q", f.namespace))
}

// foo is the configuration of one entry, foo in the ConfigMap testmap, with further lines.
func (f *fixture) foo(lines ...string) string {
	return f.config(entry("foo", "testmap", "foo", lines...))
}

// entry is the configuration of an entry, in the namespace of the fixture.
func entry(label, configMap, key string, lines ...string) string {
	return fmt.Sprintf("resource \"cas_configmap_entry\" %q {\nnamespace = NAMESPACE\nname = %q\nkey = %q\n%s\n}\n",
		label, configMap, key, strings.Join(lines, "\n"))
}

// text is what a message says about the fixture's namespace, which takes the place of NAMESPACE.
func (f *fixture) text(s string) string { return strings.ReplaceAll(s, "NAMESPACE", f.namespace) }

// isVersion checks an attribute that must be the present version of the live ConfigMap.
func (f *fixture) isVersion(name string) resource.CheckResourceAttrWithFunc {
	return func(got string) error {
		if want := f.live(name).ResourceVersion; got != want {
			return fmt.Errorf("the live configmap %s is at %s, not %s", name, want, got)
		}
		return nil
	}
}

// quoted is a string literal of the configuration language.
func quoted(s string) string {
	literal, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string can always be encoded
	}
	return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(string(literal))
}

// proxied has the provider use a proxy from now on, whose requests are then all the provider's.
func (f *fixture) proxied() *testcluster.Proxy {
	f.Helper()
	return f.proxiedAs(f.cluster.Config)
}

// proxiedAs is proxied of another user.
func (f *fixture) proxiedAs(user *rest.Config) *testcluster.Proxy {
	f.Helper()
	p := f.cluster.ProxyFor(f, user)
	f.kubeconfig = f.cluster.Kubeconfig(f, p.Config)
	return p
}

// user is one who may do no more than this in the fixture's namespace.
func (f *fixture) user(name, resources string, verbs ...string) *rest.Config {
	f.Helper()
	return f.cluster.User(f, name+"-"+f.namespace, f.namespace,
		rbacv1.PolicyRule{APIGroups: []string{corev1.GroupName}, Resources: []string{resources}, Verbs: verbs})
}

// leadTo has what the provider was configured with lead elsewhere from now on.
func (f *fixture) leadTo(config *rest.Config) {
	f.Helper()
	if err := testcluster.WriteKubeconfig(f.kubeconfig, config); err != nil {
		f.Fatal(err)
	}
}

// run runs the steps with the provider in this process and the real command line.
func (f *fixture) run(steps ...resource.TestStep) {
	f.Helper()
	runSteps(f.T, resource.TestCase{Steps: steps})
}

// runRefused runs steps of which one must fail. refused is called with what that one failed with, before the next one
// and before what there is is destroyed.
func (f *fixture) runRefused(refused func(failures), steps ...resource.TestStep) {
	f.Helper()
	failed := 0
	runSteps(f.T, resource.TestCase{Steps: steps, ErrorCheck: func(err error) error {
		failed++
		refused(failuresOf(err))
		return nil
	}})
	if failed != 1 {
		f.Errorf("%d steps failed, want 1", failed)
	}
}

// runInvalid runs a configuration that must be refused before any request, and one that makes a request, for the proxy to see.
func (f *fixture) runInvalid(refused func(failures), config string) {
	f.Helper()
	p := f.proxied()
	f.runRefused(
		func(got failures) {
			refused(got)
			if p.Count() > 0 {
				f.Errorf("requests: %v", p.Requests())
			}
		},
		resource.TestStep{Config: f.config(config)}, resource.TestStep{Config: f.config(sourceBlock("cas_configmap", "valid", "testmap"))},
	)
	if p.Count() == 0 {
		f.Error("no request is seen")
	}
}

// runInvalidBlocks is runInvalid of blocks that must each be refused with these texts, by its label.
func (f *fixture) runInvalidBlocks(config string, wants map[string][]string) {
	f.Helper()
	f.runInvalid(func(got failures) {
		for label, texts := range wants {
			got.want(f, label, texts...)
		}
		got.wantOnly(f, slices.Collect(maps.Keys(wants))...)
	}, config)
}

// failures are the errors of a command: for each resource, by its label, what was said of it, with each run of white
// space as one space.
type failures map[string]string

var failedResource = regexp.MustCompile(`with (?:data\.)?cas_configmap\w*\.([^,\s]+),`)

func failuresOf(err error) failures {
	found := failures{}
	for _, text := range strings.Split(err.Error(), "\nError: ")[1:] {
		label := ""
		if match := failedResource.FindStringSubmatch(text); match != nil {
			label = match[1]
		}
		found[label] += "Error: " + strings.Join(strings.Fields(text), " ") + "\n"
	}
	return found
}

// want fails the test unless the errors about the resource hold the texts, in their order.
func (e failures) want(t testing.TB, label string, texts ...string) {
	t.Helper()
	rest := e[label]
	for _, text := range texts {
		at := strings.Index(rest, text)
		if at < 0 {
			t.Errorf("%s failed with\n%s\nwant it to say %q", label, e[label], text)
			return
		}
		rest = rest[at+len(text):]
	}
}

// wantOnly fails the test unless there are errors about just these resources.
func (e failures) wantOnly(t testing.TB, labels ...string) {
	t.Helper()
	if got := slices.Sorted(maps.Keys(e)); !slices.Equal(got, slices.Sorted(slices.Values(labels))) {
		t.Errorf("failed: %q, want %q:\n%s", got, labels, strings.Join(slices.Collect(maps.Values(e)), ""))
	}
}
