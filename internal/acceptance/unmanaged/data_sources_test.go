package unmanaged

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

func entryData(label, configMap, key string, lines ...string) string {
	return fixture.SourceBlock("cas_configmap_entry", label, configMap, append(lines, fmt.Sprintf("key = %q", key))...)
}

// attributesOf are checks of all attributes of a data source but its arguments.
func attributesOf(address string, want map[string]knownvalue.Check) (checks []statecheck.StateCheck) {
	for name, value := range want {
		checks = append(checks, statecheck.ExpectKnownValue(address, tfjsonpath.New(name), value))
	}
	return checks
}

func writtenBy(cm *corev1.ConfigMap) knownvalue.Check {
	all := []knownvalue.Check{}
	for _, m := range cm.ManagedFields {
		all = append(all, knownvalue.ObjectExact(map[string]knownvalue.Check{
			"manager": knownvalue.StringExact(m.Manager), "operation": knownvalue.StringExact(string(m.Operation)),
			"time": knownvalue.StringExact(m.Time.UTC().Format("2006-01-02T15:04:05Z")),
		}))
	}
	return knownvalue.ListExact(all)
}

func TestDataSources(t *testing.T) {
	f := fixture.New(t)
	f.CreateObject(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "full", Labels: fixture.Data{"app": "shop"}, Annotations: fixture.Data{"note": "for tests"}},
		Data:       fixture.Data{"text": "1", "empty": ""}, BinaryData: map[string][]byte{"binary": {0xff, 0}}, Immutable: new(true),
	})
	f.Create("empty", nil)
	f.Set("empty", "was", "here")
	f.Unset("empty", "was")
	full, empty := f.Live("full"), f.Live("empty")
	bytes := base64.StdEncoding.EncodeToString([]byte{0xff, 0})
	exact, null := knownvalue.StringExact, knownvalue.Null()
	strings := func(of fixture.Data) knownvalue.Check {
		all := map[string]knownvalue.Check{}
		for k, v := range of {
			all[k] = exact(v)
		}
		return knownvalue.MapExact(all)
	}
	entry := func(exists bool, value, encoded knownvalue.Check, cm *corev1.ConfigMap) map[string]knownvalue.Check {
		want := map[string]knownvalue.Check{
			"exists": knownvalue.Bool(exists), "value": value, "value_base64": encoded, "uid": null, "resource_version": null, "managers": null,
		}
		if cm != nil {
			want["uid"], want["resource_version"], want["managers"] = exact(string(cm.UID)), exact(cm.ResourceVersion), writtenBy(cm)
		}
		return want
	}
	const entryOf, whole = "data.cas_configmap_entry.", "data.cas_configmap."
	var checks []statecheck.StateCheck
	for address, want := range map[string]map[string]knownvalue.Check{
		entryOf + "text":   entry(true, exact("1"), null, full),
		entryOf + "blank":  entry(true, exact(""), null, full),
		entryOf + "binary": entry(true, null, exact(bytes), full),
		entryOf + "no_key": entry(false, null, null, full),
		entryOf + "no_map": entry(false, null, null, nil),
		whole + "full": {
			"id": exact(f.Namespace + "/full"), "exists": knownvalue.Bool(true), "immutable": knownvalue.Bool(true),
			"data": strings(full.Data), "binary_data": strings(fixture.Data{"binary": bytes}),
			"labels": strings(full.Labels), "annotations": strings(full.Annotations),
			"uid": exact(string(full.UID)), "resource_version": exact(full.ResourceVersion), "managers": writtenBy(full),
		},
		whole + "empty": {
			"id": exact(f.Namespace + "/empty"), "exists": knownvalue.Bool(true), "immutable": knownvalue.Bool(false),
			"data": strings(nil), "binary_data": strings(nil), "labels": strings(nil), "annotations": strings(nil),
			"uid": exact(string(empty.UID)), "resource_version": exact(empty.ResourceVersion), "managers": writtenBy(empty),
		},
		whole + "no_map": {
			"id": exact(f.Namespace + "/none"), "exists": knownvalue.Bool(false), "immutable": null, "data": null, "binary_data": null,
			"labels": null, "annotations": null, "uid": null, "resource_version": null, "managers": null,
		},
	} {
		checks = append(checks, attributesOf(address, want)...)
	}
	f.RunSteps(resource.TestStep{ConfigStateChecks: checks, Config: f.Config(
		entryData("text", "full", "text") + entryData("blank", "full", "empty", `timeouts = { read = "30s" }`) + entryData("binary", "full", "binary") +
			entryData("no_key", "full", "nope") + entryData("no_map", "none", "text") + fixture.SourceBlock("cas_configmap", "full", "full") +
			fixture.SourceBlock("cas_configmap", "empty", "empty") + fixture.SourceBlock("cas_configmap", "no_map", "none"))})
}

func TestDataSourceNamespaceDefaults(t *testing.T) {
	f := fixture.New(t)
	f.RunSteps(resource.TestStep{
		Config: f.Config("data \"cas_configmap\" \"root\" {\n  name = \"nobody-made-this\"\n}\n" +
			"data \"cas_configmap_entry\" \"root\" {\n  name = \"nobody-made-this\"\n  key = \"foo\"\n}\n"),
		ConfigStateChecks: append(attributesOf("data.cas_configmap.root", map[string]knownvalue.Check{"namespace": knownvalue.StringExact("default")}),
			attributesOf("data.cas_configmap_entry.root", map[string]knownvalue.Check{"namespace": knownvalue.StringExact("default")})...),
	})
}

// The version of a data source is what the plan saw: what comes in between is a conflict.
func TestDataSourceVersionIsExpected(t *testing.T) {
	for kind, source := range map[string]string{
		"cas_configmap_entry": entryData("seen", "testmap", "bar"), "cas_configmap": fixture.SourceBlock("cas_configmap", "seen", "testmap"),
	} {
		t.Run(kind, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", fixture.Data{"bar": "1"})
			p.Write(source + fixture.EntryBlock("foo", fmt.Sprintf("count = data.%s.seen.exists ? 1 : 0", kind), `value = "2"`,
				fmt.Sprintf("expected_resource_version_wo = data.%s.seen.resource_version", kind)))
			p.Plan()
			p.Set("testmap", "bar", "foreign")
			p.ApplyRefused("Error: Compare-And-Swap Conflict", "which expected_resource_version_wo names.")
			p.WantLive("testmap", fixture.Data{"bar": "foreign"})
			p.PlanApply()
			p.WantLive("testmap", fixture.Data{"bar": "foreign", "foo": "2"})
			p.PlanNothing()
		})
	}
}

func TestDataSourceThatIsAbsentIsBranchedOn(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Write(entryData("seen", "testmap", "bar") + fixture.SourceBlock("cas_configmap", "seen", "testmap") +
		fixture.EntryBlock("foo", "count = data.cas_configmap_entry.seen.exists ? 1 : 0", `value = "2"`) + `
output "seen" {
  value = [data.cas_configmap.seen.exists, data.cas_configmap_entry.seen.exists]
}`)
	outputs := func(want string) {
		t.Helper()
		p.PlanApply()
		if got := p.Outputs(); got != want {
			t.Errorf("outputs %s, want %s", got, want)
		}
	}
	outputs(`{"seen":[false,false]}`)
	p.Create("testmap", nil)
	outputs(`{"seen":[true,false]}`)
	p.Set("testmap", "bar", "1")
	outputs(`{"seen":[true,true]}`)
	p.WantLive("testmap", fixture.Data{"bar": "1", "foo": "2"})
}

// A data source reads again, however short a time after another data source has read the object.
func TestDataSourceNeverReusesARead(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "1"})
	proxy := p.Proxied()
	var n atomic.Int32
	proxy.SetHook(func(*http.Request) testcluster.Fault {
		return testcluster.Fault{Answered: func(*http.Response) {
			if n.Add(1) == 1 {
				p.Set("testmap", "foo", "2")
			}
		}}
	})
	p.Write(entryData("first", "testmap", "foo") + `
data "cas_configmap_entry" "second" {
  namespace = data.cas_configmap_entry.first.namespace
  name      = "testmap"
  key       = data.cas_configmap_entry.first.value == "1" ? "foo" : "none"
}
output "values" {
  value = [data.cas_configmap_entry.first.value, data.cas_configmap_entry.second.value]
}`)
	p.PlanApply()
	if got := p.Outputs(); got != `{"values":["1","2"]}` {
		t.Errorf("outputs %s", got)
	}
}

func TestDataSourceThatCannotBeRead(t *testing.T) {
	for name, test := range map[string]struct {
		config func(p *fixture.Pipeline) *rest.Config
		line   string
		wants  []string
	}{
		"not permitted": {
			config: func(p *fixture.Pipeline) *rest.Config {
				return p.User("cannot-get", "configmaps", "patch")
			},
			wants: []string{"Error: Not Permitted", "You do not have permission to get this ConfigMap. Nothing was read.", "testmap", "Grant get on configmaps in this namespace."},
		},
		"connection refused": {
			config: func(*fixture.Pipeline) *rest.Config { return &rest.Config{Host: fixture.RefusedAddress} },
			wants:  []string{"Error: API Server Unreachable", "Nothing was read.", "Host: " + fixture.RefusedAddress},
		},
		"404 of something else": {
			config: func(p *fixture.Pipeline) *rest.Config {
				config := rest.CopyConfig(p.Cluster.Config)
				config.Host += "/nowhere"
				return config
			},
			wants: []string{"Error: Request Refused", "refused to get the ConfigMap. Nothing was read.", "Status: 404"},
		},
		"no answer": {
			config: func(p *fixture.Pipeline) *rest.Config {
				proxy := p.Cluster.Proxy(p)
				never := make(chan struct{})
				proxy.SetHook(func(*http.Request) testcluster.Fault { return testcluster.Fault{HoldBefore: never} })
				return proxy.Config
			},
			line:  `timeouts = { read = "1s" }`,
			wants: []string{"Error: Operation Timed Out", "Nothing was read.", "raise timeouts.read"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", fixture.Data{"foo": "1"})
			p.Kubeconfig = p.Cluster.Kubeconfig(t, test.config(p))
			p.Write(entryData("foo", "testmap", "foo", test.line))
			p.PlanRefused(append(test.wants, "ConfigMap: "+p.Namespace+"/testmap", "Key: foo"))
			p.Write(fixture.SourceBlock("cas_configmap", "foo", "testmap", test.line))
			p.PlanRefused(append(test.wants, "ConfigMap: "+p.Namespace+"/testmap", "!Key: "))
		})
	}
}

func TestDataSourceInvalidConfiguration(t *testing.T) {
	f := fixture.New(t)
	entryOf := func(label, namespace, name, key, timeout string) string {
		return fmt.Sprintf("data \"cas_configmap_entry\" %q {\nnamespace = %q\nname = %q\nkey = %q\ntimeouts = { read = %q }\n}\n", label, namespace, name, key, timeout)
	}
	f.RunInvalid(func(got fixture.Failures) {
		got.Want(f, "a", "Attribute namespace: a lowercase RFC 1123 label must")
		got.Want(f, "b", "Attribute name: a lowercase RFC 1123 subdomain must")
		got.Want(f, "c", "Attribute key: must not be '..'")
		got.Want(f, "d", `Attribute timeouts.read: must be a duration above zero, such as "30s" or "2m", not "0s"`)
		for _, attribute := range []string{"namespace", "name", "timeouts.read"} {
			got.Want(f, "e", "Attribute "+attribute+": ")
		}
		got.WantOnly(f, "a", "b", "c", "d", "e")
	}, entryOf("a", "A", "m", "k", "1s")+entryOf("b", "a", "M", "k", "1s")+entryOf("c", "a", "m", "..", "1s")+
		entryOf("d", "a", "m", "k", "0s")+"data \"cas_configmap\" \"e\" {\nnamespace = \"\"\nname = \"\"\ntimeouts = { read = \"soon\" }\n}\n")
}

func TestDataSourceOfAProviderThatIsUnknownAtPlan(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "1"})
	for _, source := range []string{entryData("foo", "testmap", "foo"), fixture.SourceBlock("cas_configmap", "foo", "testmap")} {
		p.WriteUnknown(1, source)
		p.PlanRefused([]string{"Error: Provider Not Configured", "Nothing was read.", "Add a depends_on to the data source that names what the provider's configuration comes from."})
	}
	p.WriteUnknown(1, entryData("foo", "testmap", "foo", "depends_on = [terraform_data.cluster]")+
		"output \"foo\" {\n  value = data.cas_configmap_entry.foo.value\n}\n")
	p.PlanApply()
	if got := p.Outputs(); got != `{"foo":"1"}` {
		t.Errorf("outputs %s", got)
	}
}
