package nextsteps

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// foo is the entry foo of testmap.
func foo(lines ...string) string { return fixture.EntryBlock("foo", lines...) }

func counter(lines ...string) string { return fixture.CounterBlock("it", lines...) }

func whole(lines ...string) string { return fixture.WholeBlock("it", lines...) }

// allocation takes a number from the pool in the key ports.
func allocation(label, numbers string, lines ...string) string {
	all := append([]string{`key = "ports"`, `claimant = "shop/` + label + `"`, "numbers = " + numbers}, lines...)
	return fixture.BlockOf("cas_configmap_allocation", label, all)
}

// seen reads the version of an object.
func seen(kind, name string) string {
	return fixture.SourceBlock("cas_object_fields", "seen", name, `api_version = "v1"`, "kind = "+fixture.Quoted(kind),
		`paths = ["metadata.resourceVersion"]`)
}

const seenVersion = "expected_resource_version_wo = data.cas_object_fields.seen.resource_version"

// keyed is an entry whose key has the number of an allocation.
const keyed = `key = "port-${cas_configmap_allocation.port.number}"`

func setsOther(p *fixture.Pipeline) { p.Set("testmap", "bar", "theirs") }

func setsFoo(value string) func(*fixture.Pipeline) {
	return func(p *fixture.Pipeline) { p.Set("testmap", "foo", value) }
}

// secret makes the Secret database, and plans the configuration.
func secret(body string) func(*fixture.Pipeline) string {
	return func(p *fixture.Pipeline) string {
		p.CreateSecret("database", fixture.Data{"password": "unknown"})
		p.Write(body)
		return p.PlanRefused(nil)
	}
}

// atVersion follows a message that names the version of an object.
func atVersion(version func(*fixture.Pipeline) string, body func(line string) string) func(*fixture.Pipeline) {
	return func(p *fixture.Pipeline) {
		p.Planned(body("expected_resource_version_wo = " + fixture.Quoted(version(p))))
	}
}

func secretVersion(p *fixture.Pipeline) string { return p.LiveSecret("database").ResourceVersion }

func mapVersion(p *fixture.Pipeline) string { return p.Live("testmap").ResourceVersion }

// password is an update by key of a Secret that expects nothing.
func password(p *fixture.Pipeline) string {
	p.CreateSecret("database", nil)
	p.Planned(fixture.SecretEntry(`value_wo = "1"`, `conflict_scope = "key"`))
	p.Write(fixture.SecretEntry(`value_wo = "2"`, `value_wo_version = 2`, `conflict_scope = "key"`))
	return p.PlanRefused(nil)
}

var scenes = map[string]scene{
	"an expectation that does not hold: replace": {
		planned(fixture.Data{"foo": "3"}, foo(`value = "2"`, `expected_value = "1"`)),
		"Error: Expected Value Mismatch", `To replace "3", set expected_value = "3"`,
		applies(foo(`value = "2"`, `expected_value = "3"`)),
		fixture.Data{"foo": "2"},
	},
	"an expectation that does not hold: keep": {
		planned(fixture.Data{"foo": "3"}, foo(`value = "2"`, `expected_value = "1"`)),
		"Error: Expected Value Mismatch", `to keep it, set value = "3" and adopt_existing = true.`,
		applies(foo(`value = "3"`, `expected_value = "1"`, "adopt_existing = true")),
		fixture.Data{"foo": "3"},
	},
	"an expectation of an update: keep": {
		changed(fixture.Data{}, foo(`value = "1"`), setsFoo("3"), foo(`value = "2"`, `expected_value = "1"`)),
		"Error: Expected Value Mismatch", `to keep it, set value = "3"`,
		applies(foo(`value = "3"`, `expected_value = "1"`)),
		fixture.Data{"foo": "3"},
	},
	"an expectation of a key that is missing": {
		planned(fixture.Data{}, foo(`value = "2"`, `expected_value = "1"`)),
		"Error: Expected Value Mismatch", "To create foo, remove expected_value.",
		applies(foo(`value = "2"`)),
		fixture.Data{"foo": "2"},
	},
	"a key that is misspelt": {
		planned(fixture.Data{"feature-flag": "off"}, foo(`key = "feature_flag"`, `value = "on"`, `expected_value = "off"`)),
		"Error: Expected Value Mismatch", "Did you mean feature-flag?",
		applies(foo(`key = "feature-flag"`, `value = "on"`, `expected_value = "off"`)),
		fixture.Data{"feature-flag": "on", "feature_flag": ""},
	},
	"line endings": {
		planned(fixture.Data{"foo": "a\n"}, foo(`value = "b"`, `expected_value = "a\r\n"`)),
		"differ only in line endings, CRLF or LF", `use replace(..., "\r\n", "\n")`,
		applies(foo(`value = "b"`, `expected_value = replace("a\r\n", "\r\n", "\n")`)),
		fixture.Data{"foo": "b"},
	},
	"quotes": {
		planned(fixture.Data{"foo": "a"}, foo(`value = "b"`, `expected_value = "\"a\""`)),
		"differ only in quotes around the value", `use trim(..., "\"'")`,
		applies(foo(`value = "b"`, `expected_value = trim("\"a\"", "\"'")`)),
		fixture.Data{"foo": "b"},
	},
	"a key that holds the value: adopt": {
		planned(fixture.Data{"foo": "2"}, foo(`value = "2"`)),
		"Error: Key Already Holds The Value", "set adopt_existing = true.",
		applies(foo(`value = "2"`, "adopt_existing = true")),
		fixture.Data{"foo": "2"},
	},
	"a key that holds the value: import": {
		planned(fixture.Data{"foo": "2"}, foo(`value = "2"`)),
		"Error: Key Already Holds The Value", "import it",
		runs(foo(`value = "2"`), "import", fixture.EntryAddress, "NAMESPACE/testmap/foo"),
		fixture.Data{"foo": "2"},
	},
	"a tainted entry": {
		func(p *fixture.Pipeline) string {
			p.Create("testmap", fixture.Data{})
			p.Planned(foo(`value = "2"`))
			p.Do("taint", fixture.EntryAddress)
			return p.PlanRefused(nil)
		},
		"Error: Key Already Holds The Value", "run terraform untaint with the address above",
		runs(foo(`value = "2"`), "untaint", fixture.EntryAddress),
		fixture.Data{"foo": "2"},
	},
	"a Secret of unknown value": {
		secret(fixture.SecretEntry(`value_wo = "new"`)),
		"Error: Key Already Exists", "or set expected_resource_version_wo = ",
		atVersion(secretVersion, func(line string) string { return fixture.SecretEntry(`value_wo = "new"`, line) }), nil,
	},
	"a version that is old": {
		planned(fixture.Data{"foo": "1"}, foo(`value = "2"`, `expected_resource_version_wo = "1"`)),
		"Error: Compare-And-Swap Conflict", "Run terraform plan again with expected_resource_version_wo from a data source",
		applies(seen("ConfigMap", "testmap") + foo(`value = "2"`, seenVersion)),
		fixture.Data{"foo": "2"},
	},
	"a version that is old: reviewed": {
		planned(fixture.Data{"foo": "1"}, foo(`value = "2"`, `expected_resource_version_wo = "1"`)),
		"Error: Compare-And-Swap Conflict", "or with the version that you have reviewed.",
		atVersion(mapVersion, func(line string) string { return foo(`value = "2"`, line) }),
		fixture.Data{"foo": "2"},
	},
	"a write between plan and apply": {
		func(p *fixture.Pipeline) string {
			p.Create("testmap", fixture.Data{})
			p.Planned(foo(`value = "1"`))
			p.Write(foo(`value = "2"`))
			p.Plan()
			setsOther(p)
			return p.ApplyRefused()
		},
		"Error: Compare-And-Swap Conflict", "Run terraform plan again",
		plansAgain,
		fixture.Data{"foo": "2", "bar": "theirs"},
	},
	"a write of another key between plan and apply": {
		func(p *fixture.Pipeline) string {
			p.Create("testmap", fixture.Data{})
			p.Planned(foo(`value = "1"`))
			p.Write(foo(`value = "2"`))
			p.Plan()
			setsOther(p)
			return p.ApplyRefused()
		},
		"Error: Compare-And-Swap Conflict", `set conflict_scope = "key" to ignore other keys.`,
		applies(foo(`value = "2"`, `conflict_scope = "key"`)),
		fixture.Data{"foo": "2", "bar": "theirs"},
	},
	"a Secret by key: expect the value": {
		password, "Error: Expected Value Missing", "Set expected_value_wo",
		applies(fixture.SecretEntry(`value_wo = "2"`, `value_wo_version = 2`, `conflict_scope = "key"`, `expected_value_wo = "1"`)), nil,
	},
	"a Secret by key: expect the version": {
		password, "Error: Expected Value Missing", "or expected_resource_version_wo",
		applies(seen("Secret", "database") +
			fixture.SecretEntry(`value_wo = "2"`, `value_wo_version = 2`, `conflict_scope = "key"`, seenVersion)), nil,
	},
	"a Secret by key: compare the object": {
		password, "Error: Expected Value Missing", `or conflict_scope = "object".`,
		applies(fixture.SecretEntry(`value_wo = "2"`, `value_wo_version = 2`, `conflict_scope = "object"`)), nil,
	},
	"a ConfigMap that exists: import": {
		planned(fixture.Data{"foo": "1"}, whole(`data = { foo = "1" }`)),
		"Error: ConfigMap Already Exists", "import it",
		runs(whole(`data = { foo = "1" }`), "import", "cas_configmap.it", "NAMESPACE/testmap"),
		fixture.Data{"foo": "1"},
	},
	"a ConfigMap that exists: take over": {
		planned(fixture.Data{"foo": "1"}, whole(`labels = { a = "b" }`)),
		"Error: ConfigMap Already Exists", "set expected_resource_version_wo = ",
		atVersion(mapVersion, func(line string) string { return whole(`labels = { a = "b" }`, line) }),
		fixture.Data{"foo": "1"},
	},
	"a ConfigMap that exists: another name": {
		planned(fixture.Data{"foo": "1"}, whole(`data = { foo = "2" }`)),
		"Error: ConfigMap Already Exists", "or choose another name",
		applies(whole(`name = "another"`, `data = { foo = "2" }`)),
		fixture.Data{"foo": "1"},
	},
	"an immutable ConfigMap that exists: take over": {
		func(p *fixture.Pipeline) string {
			made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "testmap"}, Immutable: new(true), Data: fixture.Data{"foo": "1"}}
			p.CreateObject(made)
			p.Write(whole(`data = { foo = "2" }`, "expected_resource_version_wo = "+fixture.Quoted(mapVersion(p))))
			return p.PlanRefused(nil)
		},
		"Error: ConfigMap Is Immutable", "To take it over, set immutable = true, and data to what the ConfigMap holds.",
		atVersion(mapVersion, func(line string) string { return whole(`data = { foo = "1" }`, "immutable = true", line) }),
		fixture.Data{"foo": "1"},
	},
	"a ConfigMap that became immutable": {
		changed(nil, whole(`data = { foo = "1" }`), func(p *fixture.Pipeline) {
			p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Immutable, cm.Data = new(true), fixture.Data{"foo": "2"} })
		}, whole(`data = { foo = "1" }`)),
		"Error: Value Changed Since Last Apply", "To keep them, set immutable and data to what the ConfigMap holds.",
		applies(whole(`data = { foo = "2" }`, "immutable = true")),
		fixture.Data{"foo": "2"},
	},
	"a Secret entry that lost its state": {
		func(p *fixture.Pipeline) string {
			p.CreateSecret("database", fixture.Data{"password": "1"})
			p.Write(fixture.SecretEntry(`value_wo = "1"`))
			return p.PlanRefused(nil)
		},
		"Error: Key Already Holds The Value", "Otherwise set adopt_existing = true.",
		applies(fixture.SecretEntry(`value_wo = "1"`, "adopt_existing = true")), nil,
	},
	"a Secret of another type": {
		func(p *fixture.Pipeline) string {
			made := p.CreateSecret("database", nil, func(s *corev1.Secret) { s.Type = "example.com/login" })
			p.Write(fixture.SecretBlock(`data_wo = { a = "b" }`, "expected_resource_version_wo = "+fixture.Quoted(made.ResourceVersion)))
			return p.PlanRefused(nil)
		},
		"Error: Secret Already Exists", `Set type = "example.com/login", or choose another name.`,
		atVersion(secretVersion, func(line string) string {
			return fixture.SecretBlock(`data_wo = { a = "b" }`, `type = "example.com/login"`, line)
		}), nil,
	},
	"a ConfigMap that two resources create": {
		planned(nil, whole(`data = { foo = "1" }`)+strings.Replace(whole(`data = { foo = "1" }`), `"it"`, `"other"`, 1)),
		"Error: ConfigMap Created Twice", "Remove one of the two, or give it another name.",
		applies(whole(`data = { foo = "1" }`)),
		fixture.Data{"foo": "1"},
	},
	"a ConfigMap that does not exist": {
		applied(nil, foo(`value = "1"`), nothing),
		"Error: ConfigMap Not Found", "Create the ConfigMap first, and let this resource depend on it.",
		applies(whole() + foo(`value = "1"`, "depends_on = [cas_configmap.it]")),
		fixture.Data{"foo": "1"},
	},
	"an immutable ConfigMap": {
		func(p *fixture.Pipeline) string {
			p.CreateObject(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "testmap"}, Immutable: new(true), Data: fixture.Data{"foo": "1"}})
			p.Create("another", fixture.Data{})
			p.Write(foo(`value = "2"`, `expected_value = "1"`))
			return p.PlanRefused(nil)
		},
		"Error: ConfigMap Is Immutable", "Use a ConfigMap with another name",
		applies(foo(`value = "2"`, `name = "another"`)),
		fixture.Data{"foo": "1"},
	},
	"two resources of one key": {
		planned(fixture.Data{}, foo(`value = "1"`)+fixture.EntryBlock("other", `value = "1"`)),
		"Error: Key Written Twice", "Leave it to one of the two.",
		applies(foo(`value = "1"`)),
		fixture.Data{"foo": "1"},
	},
	"a counter in a key that holds text": {
		planned(fixture.Data{"foo": "on"}, counter()),
		"Error: Not A Counter", "To keep what it holds, use another key.",
		applies(counter(`key = "builds"`)),
		fixture.Data{"foo": "on", "builds": "1"},
	},
	"a counter that was spoilt": {
		planned(fixture.Data{"foo": "41 "}, counter()),
		"Error: Not A Counter", "set it to the next free number, such as 42",
		func(p *fixture.Pipeline) { p.Set("testmap", "foo", "42"); p.PlanApply() },
		fixture.Data{"foo": "43"},
	},
	"a counter at its limit": {
		planned(fixture.Data{"foo": "9223372036854775807"}, counter()),
		"Error: Counter Would Overflow", "or use another key.",
		applies(counter(`key = "builds"`)),
		fixture.Data{"foo": "9223372036854775807"},
	},
	"a pool in a key that holds text": {
		planned(fixture.Data{"ports": "on"}, allocation("port", "{ from = 1, to = 2 }")),
		"Error: Not A Pool", "To keep what is there, use another key.",
		applies(strings.Replace(allocation("port", "{ from = 1, to = 2 }"), `"ports"`, `"pool"`, 1)),
		fixture.Data{"ports": "on"},
	},
	"a preferred value that is taken": {
		func(p *fixture.Pipeline) string {
			p.Create("testmap", fixture.Data{})
			p.Planned(allocation("port", "{ from = 1, to = 2 }"))
			p.Write(allocation("port", "{ from = 1, to = 2 }") + allocation("other", "{ from = 1, to = 2 }", `prefer = "1"`))
			p.Plan()
			return p.ApplyRefused()
		},
		"Error: Value Is Taken", "Prefer another value, or omit prefer to take the lowest free one.",
		applies(allocation("port", "{ from = 1, to = 2 }") + allocation("other", "{ from = 1, to = 2 }")), nil,
	},
	"a pool that is full": {
		func(p *fixture.Pipeline) string {
			p.Create("testmap", fixture.Data{})
			p.Planned(allocation("port", "{ from = 1, to = 1 }"))
			p.Write(allocation("port", "{ from = 1, to = 1 }") + allocation("other", "{ from = 1, to = 1 }"))
			p.Plan()
			return p.ApplyRefused()
		},
		"Error: Pool Is Full", "Widen the range",
		applies(allocation("port", "{ from = 1, to = 1 }") + allocation("other", "{ from = 1, to = 2 }")), nil,
	},
	"a key that an allocation gave, and that exists": {
		func(p *fixture.Pipeline) string {
			body := allocation("port", "{ from = 30000, to = 30004 }") + foo(keyed, `value = "web"`)
			p.Wants(applied(fixture.Data{"port-30000": "theirs"}, body, nothing)(p), "add 30000 to its except")
			return p.PlanRefused(nil)
		},
		"Error: Key Already Exists",
		"If an allocation gave the key, add 30000 to its except, or remove it from its names, and run terraform apply -replace with the address of the allocation.",
		applies(allocation("port", "{ from = 30000, to = 30004, except = [30000] }")+foo(keyed, `value = "web"`),
			"-replace=cas_configmap_allocation.port"),
		fixture.Data{"port-30000": "theirs", "port-30001": "web"},
	},
	"a replacement that needs what it removes": {
		changed(fixture.Data{"foo": "1"}, foo(`value = "2"`, `expected_value = "1"`, fixture.Deletes), nothing,
			foo(`value = "2"`, `expected_value = "1"`, fixture.Deletes), "-replace="+fixture.EntryAddress),
		"Error: Replacement Would Fail", "Change value instead of replacing the resource.",
		applies(foo(`value = "3"`, `expected_value = "2"`, fixture.Deletes)),
		fixture.Data{"foo": "3"},
	},
	"a resource with a new address": {
		changed(fixture.Data{}, foo(`value = "1"`), nothing, fixture.EntryBlock("other", `value = "1"`, "adopt_existing = true")),
		"Error: Key Moves Between Instances", "If the resource has a new address, add a moved block.",
		func(p *fixture.Pipeline) {
			p.Applied(fixture.EntryBlock("other", `value = "1"`) +
				"moved {\n  from = cas_configmap_entry.foo\n  to   = cas_configmap_entry.other\n}\n")
		},
		fixture.Data{"foo": "1"},
	},
	"data beside keys that exist, kept": {
		changed(nil, whole(), func(p *fixture.Pipeline) { p.Set("testmap", "foo", "1") }, whole(`data = {}`)),
		"Error: Key Already Exists", `To keep it, set "foo" = "1" in data.`,
		applies(whole(`data = { foo = "1" }`)),
		fixture.Data{"foo": "1"},
	},
	"data beside keys that exist, replaced": {
		changed(nil, whole(), func(p *fixture.Pipeline) { p.Set("testmap", "foo", "1") }, whole(`data = {}`)),
		"Error: Key Already Exists", "To replace it, set expected_resource_version_wo = ",
		atVersion(mapVersion, func(line string) string { return whole(`data = {}`, line) }),
		fixture.Data{"foo": ""},
	},
	"a label that exists": {
		changed(nil, whole(), func(p *fixture.Pipeline) {
			p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Labels = fixture.Data{"app": "shop"} })
		}, whole(`labels = { app = "store" }`)),
		"Error: Key Already Exists", `To keep it, set "app" = "shop" in labels.`,
		applies(whole(`labels = { app = "shop" }`)),
		nil,
	},
	"a whole ConfigMap beside an entry": {
		planned(nil, whole(`data = {}`)+foo(`value = "1"`, "depends_on = [cas_configmap.it]")),
		"Error: Key Written Twice", "omit the map there to leave them to others.",
		applies(whole() + foo(`value = "1"`, "depends_on = [cas_configmap.it]")),
		fixture.Data{"foo": "1"},
	},
	"an import of a key that is misspelt": {
		imports(foo(`value = "1"`), fixture.EntryAddress, "NAMESPACE/testmap/fo"),
		"Error: Key Not Found", "Did you mean foo? Correct the import, whose id is namespace/name/key.",
		runs(foo(`value = "1"`), "import", fixture.EntryAddress, "NAMESPACE/testmap/foo"),
		fixture.Data{"foo": "1"},
	},
	"an import of keys that do not exist": {
		imports(fixture.DataBlock("it", `data = { foo = "1", bar = "2" }`), "cas_configmap_data.it", "NAMESPACE/testmap:bar,foo"),
		"Error: Key Not Found", "or leave out the keys that do not exist yet: the next apply writes them.",
		runs(fixture.DataBlock("it", `data = { foo = "1", bar = "2" }`), "import", "cas_configmap_data.it", "NAMESPACE/testmap:foo"),
		fixture.Data{"foo": "1", "bar": "2"},
	},
	"a value outside of the range": {
		func(p *fixture.Pipeline) string {
			p.Create("testmap", fixture.Data{})
			p.Planned(allocation("port", "{ from = 1, to = 2 }"))
			p.Write(allocation("port", "{ from = 5, to = 6 }"))
			return p.Plan()
		},
		"Warning: Value Outside The Range", "run terraform apply -replace with the address of this resource.",
		applies(allocation("port", "{ from = 5, to = 6 }"), "-replace=cas_configmap_allocation.port"), nil,
	},
	"an allocation that somebody removed": {
		func(p *fixture.Pipeline) string {
			p.Create("testmap", fixture.Data{})
			p.Planned(allocation("port", "{ from = 1, to = 2 }"))
			p.Set("testmap", "ports", "{}")
			return p.Plan()
		},
		"Warning: Allocation Gone", "The next apply takes a new one.",
		func(p *fixture.Pipeline) { p.Apply() }, nil,
	},
	"a ConfigMap that is full": {
		func(p *fixture.Pipeline) string {
			value, _ := fixture.KiB(200, "y")
			return applied(fixture.Data{"big": strings.Repeat("x", 900<<10)}, foo("value = "+value), func(p *fixture.Pipeline) {
				p.Create("another", fixture.Data{})
			})(p)
		},
		"Error: ConfigMap Too Large", "or use another ConfigMap.",
		func(p *fixture.Pipeline) {
			value, _ := fixture.KiB(200, "y")
			p.Planned(foo("value = "+value, `name = "another"`))
		},
		fixture.Data{"foo": ""},
	},
	"a ConfigMap that is being deleted": {
		func(p *fixture.Pipeline) string {
			p.CreateObject(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "testmap", Finalizers: []string{"example.com/it"}}})
			p.Remove("testmap")
			p.Write(whole(`data = { foo = "1" }`))
			return p.PlanRefused(nil)
		},
		"Error: ConfigMap Is Being Deleted", "Wait until it is deleted, then run terraform plan again.",
		func(p *fixture.Pipeline) {
			p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Finalizers = nil })
			p.PlanApply()
		},
		fixture.Data{"foo": "1"},
	},
	"a kind without namespaces": {
		planned(nil, fieldsOf("Namespace", `name = "default"`, "namespace = NAMESPACE")),
		"Error: Wrong Scope", "Remove namespace.",
		func(p *fixture.Pipeline) {
			p.Planned(fieldsOf("Namespace", "name = NAMESPACE"))
		}, nil,
	},
	"a kind by another name": {
		planned(fixture.Data{}, fieldsOf("configmaps", `name = "testmap"`, "namespace = NAMESPACE")),
		"Error: Kind Not Served", "Did you mean: ConfigMap in v1 Correct api_version and kind.",
		applies(fieldsOf("ConfigMap", `name = "testmap"`, "namespace = NAMESPACE")), nil,
	},
	"a kind with namespaces": {
		planned(fixture.Data{}, fieldsOf("ConfigMap", `name = "testmap"`)),
		"Error: Wrong Scope", "Set namespace.",
		applies(fieldsOf("ConfigMap", `name = "testmap"`, "namespace = NAMESPACE")), nil,
	},
	"an allocation that another writer took over": {
		func(p *fixture.Pipeline) string {
			p.Create("testmap", fixture.Data{})
			p.Planned(allocation("port", "{ from = 1, to = 2 }"))
			p.Set("testmap", "ports", takenPool)
			return p.Plan()
		},
		"Warning: Allocation Taken Over", "Find out who changed the pool by hand",
		func(p *fixture.Pipeline) { p.Apply() }, nil,
	},
	"an import of an allocation without an id": {
		func(p *fixture.Pipeline) string {
			p.Create("testmap", fixture.Data{"ports": `{"1": {"claimant": "shop/port"}}`})
			p.Write(allocation("port", "{ from = 1, to = 2 }"))
			return p.Ended(p.On.Run("import", "cas_configmap_allocation.port", p.Text("NAMESPACE/testmap/ports/1")), 1, "import")
		},
		"Error: Allocation Without An ID", "Give it an id that no other allocation has, with kubectl, then import again.",
		func(p *fixture.Pipeline) {
			p.Set("testmap", "ports", `{"1": {"claimant": "shop/port", "id": "A"}}`)
			p.Do("import", "cas_configmap_allocation.port", p.Text("NAMESPACE/testmap/ports/1"))
			p.Do("apply", "-auto-approve")
		},
		fixture.Data{"ports": `{"1": {"claimant": "shop/port", "id": "A"}}`},
	},
	"an import of an allocation that does not exist": {
		func(p *fixture.Pipeline) string {
			p.Create("testmap", fixture.Data{"ports": takenPool})
			p.Write(allocation("port", "{ from = 1, to = 2 }"))
			return p.Ended(p.On.Run("import", "cas_configmap_allocation.port", p.Text("NAMESPACE/testmap/ports/2")), 1, "import")
		},
		"Error: Nothing To Import", "Correct the import, or remove it: the next apply takes a value.",
		plansAgain, nil,
	},
	"an import of all keys of an empty ConfigMap": {
		func(p *fixture.Pipeline) string {
			p.Create("testmap", fixture.Data{})
			p.Write(fixture.DataBlock("it", `data = { foo = "1" }`))
			return p.Ended(p.On.Run("import", "cas_configmap_data.it", p.Text("NAMESPACE/testmap")), 1, "import")
		},
		"Error: Nothing To Import", "Remove the import: the next apply writes the keys of the configuration.",
		plansAgain,
		fixture.Data{"foo": "1"},
	},
	"a ConfigMap that the plan does not find": {
		func(p *fixture.Pipeline) string {
			p.Write(foo(`value = "1"`))
			return p.Plan()
		},
		"Warning: ConfigMap Does Not Exist Yet", "If this run creates the ConfigMap, let this resource depend on it. Otherwise create it first.",
		func(p *fixture.Pipeline) {
			p.Create("testmap", nil)
			p.PlanApply()
		},
		fixture.Data{"foo": "1"},
	},
	"a namespace that the plan does not find": {
		func(p *fixture.Pipeline) string {
			p.Create("testmap", fixture.Data{})
			p.Write(strings.ReplaceAll(foo(`value = "1"`), "NAMESPACE", fixture.Quoted(p.Namespace+"s")))
			return p.Plan()
		},
		"Warning: Namespace Does Not Exist Yet", "Did you mean NAMESPACE?",
		applies(foo(`value = "1"`)),
		fixture.Data{"foo": "1"},
	},
	"a namespace that does not exist": {
		func(p *fixture.Pipeline) string {
			p.Write(strings.ReplaceAll(foo(`value = "1"`), "NAMESPACE", fixture.Quoted(p.Namespace+"s")))
			p.Plan()
			return p.ApplyRefused()
		},
		"Error: Namespace Not Found", "Create the namespace first, and let this resource depend on it.",
		func(p *fixture.Pipeline) {
			name := p.Namespace + "s"
			if _, err := p.Cluster.Client().CoreV1().Namespaces().Create(context.Background(),
				&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
				p.Fatal(err)
			}
			p.Planned(strings.ReplaceAll(whole()+foo(`value = "1"`, "depends_on = [cas_configmap.it]"), "NAMESPACE", fixture.Quoted(name)))
		}, nil,
	},
	"a ConfigMap with a new address": {
		changed(nil, whole(`data = { foo = "1" }`), nothing, fixture.WholeBlock("other", `data = { foo = "1" }`)),
		"Error: ConfigMap Moves Between Instances", "If the resource has a new address, add a moved block.",
		func(p *fixture.Pipeline) {
			p.Applied(fixture.WholeBlock("other", `data = { foo = "1" }`) +
				"moved {\n  from = cas_configmap.it\n  to   = cas_configmap.other\n}\n")
		},
		fixture.Data{"foo": "1"},
	},
	"a ConfigMap at two addresses": {
		func(p *fixture.Pipeline) string {
			p.Planned(whole(`data = { foo = "1" }`))
			p.Write(whole(`data = { foo = "1" }`) + fixture.WholeBlock("other", `data = { foo = "1" }`))
			p.Do("import", "cas_configmap.other", p.Text("NAMESPACE/testmap"))
			p.Write(fixture.WholeBlock("other", `data = { foo = "1" }`))
			return p.PlanRefused(nil)
		},
		"Error: ConfigMap Moves Between Instances", "run terraform state rm with the address of the instance that the plan destroys.",
		func(p *fixture.Pipeline) {
			p.Do("state", "rm", "cas_configmap.it")
			p.Do("apply", "-auto-approve")
		},
		fixture.Data{"foo": "1"},
	},
	"data that leaves the configuration": {
		func(p *fixture.Pipeline) string {
			p.Planned(whole(`data = { foo = "1" }`))
			p.Write(whole())
			return p.Plan()
		},
		"Warning: Key Stays In Place", "To manage it, set data to what the ConfigMap holds.",
		func(p *fixture.Pipeline) { p.Write(whole(`data = { foo = "1" }`)) },
		fixture.Data{"foo": "1"},
	},
	"a replacement whose name is unknown": {
		func(p *fixture.Pipeline) string {
			p.Create("testmap", fixture.Data{"foo": "1"})
			p.Planned(named("1", `value = "2"`))
			p.Write(named("2", `value = "2"`))
			return p.Plan()
		},
		"Warning: Replacement May Fail", "Make namespace, name and key known at plan",
		applies(foo(`value = "2"`, `expected_value = "1"`, fixture.Deletes)),
		fixture.Data{"foo": "2"},
	},
	"a value that the API server refuses": {
		applied(fixture.Data{}, labeled("not valid!"), nothing),
		"Error: Request Refused", "Correct what the API server names, then run terraform plan again.",
		applies(labeled("valid")), nil,
	},
}

// takenPool is a pool with an allocation of another writer.
const takenPool = `{"1": {"claimant": "theirs", "id": "THEIRS"}}`

// named is an entry of the ConfigMap that another resource names. The trigger replaces that resource.
func named(trigger string, lines ...string) string {
	return "resource \"terraform_data\" \"name\" {\n  input = \"testmap\"\n  triggers_replace = " + trigger + "\n}\n" +
		foo(append(lines, `expected_value = "1"`, "name = terraform_data.name.output", fixture.Deletes)...)
}

// labeled sets a label of testmap.
func labeled(value string) string {
	return "resource \"cas_object_fields\" \"it\" {\n  api_version = \"v1\"\n  kind = \"ConfigMap\"\n  namespace = NAMESPACE\n" +
		"  name = \"testmap\"\n  fields = { \"metadata.labels.a\" = " + fixture.Quoted(value) + " }\n}\n"
}

// fieldsOf sets an annotation of an object.
func fieldsOf(kind string, lines ...string) string {
	return "resource \"cas_object_fields\" \"it\" {\n  api_version = \"v1\"\n  kind = " + fixture.Quoted(kind) + "\n  " +
		strings.Join(lines, "\n  ") + "\n  fields = { \"metadata.annotations.a\" = \"b\" }\n}\n"
}
