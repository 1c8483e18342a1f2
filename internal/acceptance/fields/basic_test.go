package fields

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// lifetime describes the life of a resource: created, updated, drifted from, imported and destroyed.
type lifetime struct {
	of               sample
	create, update   []string
	created, updated string // of the field at the steps
	steps            []string
	drift            string // a merge patch of another writer
	released         string // after a destroy by release
	restored         string // after one by restore
	imports          string // the paths
	vanishes         bool   // with the drift, so that it is created again
	hasDefaults      bool   // which an import takes for a part of the value
}

// lifetimes have one resource of each of several kinds.
var lifetimes = map[string]lifetime{
	"the image of a Deployment": {
		of:      deployment,
		create:  []string{`fields = { "spec.template.spec.containers[name=web].image" = "web:2" }`, `expected_fields = { "spec.template.spec.containers[name=web].image" = "web:1" }`},
		update:  []string{`fields = { "spec.template.spec.containers[name=web].image" = "web:3" }`},
		created: `"web:2"`, updated: `"web:3"`, steps: []string{"spec", "template", "spec", "containers", "name=web", "image"},
		released: `"web:3"`, restored: `"web:1"`, imports: `spec.template.spec.containers[name=web].image`,
		drift: `{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"side:1"},{"name":"web","image":"web:9"}]}}}}`,
	},
	"the replicas of a Deployment": {
		of: deployment, create: []string{`fields = { "spec.replicas" = 3 }`, `expected_fields = { "spec.replicas" = 2 }`}, update: []string{`fields = { "spec.replicas" = 0 }`},
		created: `3`, updated: `0`, steps: []string{"spec", "replicas"}, released: `0`, restored: `2`, imports: `spec.replicas`, drift: `{"spec":{"replicas":7}}`,
	},
	"the selector of a Service": {
		of: service, create: []string{`fields = { "spec.selector.color" = "green" }`, `expected_fields = { "spec.selector.color" = "blue" }`},
		update: []string{`fields = { "spec.selector.color" = "red" }`}, created: `"green"`, updated: `"red"`, steps: []string{"spec", "selector", "color"},
		released: `"red"`, restored: `"blue"`, imports: `spec.selector.color`, drift: `{"spec":{"selector":{"color":"grey"}}}`,
	},
	"a port of a Service, to which defaults are added": {
		of: service, create: []string{`fields = { "spec.ports[name=alt]" = { name = "alt", port = 8080 } }`},
		update:  []string{`fields = { "spec.ports[name=alt]" = { name = "alt", port = 8081 } }`},
		created: `{"name":"alt","port":8080,"protocol":"TCP","targetPort":8080}`, updated: `{"name":"alt","port":8081,"protocol":"TCP","targetPort":8081}`,
		steps: []string{"spec", "ports", "name=alt"}, imports: `spec.ports[name=alt]`, hasDefaults: true,
		drift: `{"spec":{"ports":[{"name":"http","port":80},{"name":"alt","port":9090}]}}`,
	},
	"a taint of a Node": {
		of: node, create: []string{`fields = { "spec.taints[key=c,effect=NoSchedule]" = { key = "c", effect = "NoSchedule", value = "1" } }`},
		update:  []string{`fields = { "spec.taints[key=c,effect=NoSchedule]" = { key = "c", effect = "NoSchedule", value = "2" } }`},
		created: `{"effect":"NoSchedule","key":"c","value":"1"}`, updated: `{"effect":"NoSchedule","key":"c","value":"2"}`, steps: []string{"spec", "taints", "key=c"},
		imports: `spec.taints[key=c,effect=NoSchedule]`,
		drift:   `{"spec":{"taints":[{"key":"a","effect":"NoSchedule"},{"key":"b","value":"x","effect":"NoExecute"},{"key":"c","effect":"NoSchedule","value":"9"}]}}`,
	},
	"the limit of a HorizontalPodAutoscaler": {
		of: scaler, create: []string{`fields = { "spec.maxReplicas" = 6 }`, `expected_fields = { "spec.maxReplicas" = 5 }`}, update: []string{`fields = { "spec.maxReplicas" = 7 }`},
		created: `6`, updated: `7`, steps: []string{"spec", "maxReplicas"}, released: `7`, restored: `5`, imports: `spec.maxReplicas`, drift: `{"spec":{"maxReplicas":9}}`,
	},
	"an annotation of an Ingress": {
		of: ingress, create: []string{`fields = { "metadata.annotations[\"acme.io/new\"]" = "1" }`}, update: []string{`fields = { "metadata.annotations[\"acme.io/new\"]" = "2" }`},
		created: `"1"`, updated: `"2"`, steps: []string{"metadata", "annotations", "acme.io/new"}, imports: `metadata.annotations["acme.io/new"]`,
		drift: `{"metadata":{"annotations":{"acme.io/new":"9"}}}`,
	},
	"a number of a custom resource, above 2^53": {
		of: widget, create: []string{`fields = { "spec.big" = 9007199254740995 }`, `expected_fields = { "spec.big" = 9007199254740993 }`},
		update: []string{`fields = { "spec.big" = 9007199254740997 }`}, created: `9007199254740995`, updated: `9007199254740997`, steps: []string{"spec", "big"},
		released: `9007199254740997`, restored: `9007199254740993`, imports: `spec.big`, drift: `{"spec":{"big":9007199254740999}}`,
	},
	"an element of a custom resource, to which defaults are added": {
		of: widget, create: []string{`fields = { "spec.parts[name=b]" = { name = "b", size = 1 } }`}, update: []string{`fields = { "spec.parts[name=b]" = { name = "b", size = 2 } }`},
		created: `{"color":"red","name":"b","size":1}`, updated: `{"color":"red","name":"b","size":2}`, steps: []string{"spec", "parts", "name=b"},
		imports: `spec.parts[name=b]`, hasDefaults: true, drift: `{"spec":{"parts":[{"name":"a","size":1},{"name":"b","size":2,"color":"blue"}]}}`,
	},
	"a finalizer of an Ingress": {
		of: ingress, create: []string{
			`fields = { "metadata.finalizers[=acme.io/hold]" = null, "metadata.finalizers[=acme.io/new]" = "acme.io/new" }`,
			`expected_fields = { "metadata.finalizers[=acme.io/hold]" = "acme.io/hold" }`,
		},
		update:  []string{`fields = { "metadata.finalizers[=acme.io/hold]" = "acme.io/hold", "metadata.finalizers[=acme.io/new]" = "acme.io/new" }`},
		created: `["acme.io/new"]`, updated: `["acme.io/new","acme.io/hold"]`, steps: []string{"metadata", "finalizers"},
		released: `["acme.io/hold"]`, restored: `["acme.io/hold"]`, imports: `metadata.finalizers[=acme.io/hold],metadata.finalizers[=acme.io/new]`,
		drift: `{"metadata":{"finalizers":["acme.io/new"]}}`, vanishes: true,
	},
	"a label that is removed": {
		of: service, create: []string{`fields = { "metadata.labels.blue" = null }`, `expected_fields = { "metadata.labels.blue" = "1" }`},
		update: []string{`fields = { "metadata.labels.blue" = "2" }`}, updated: `"2"`, steps: []string{"metadata", "labels", "blue"},
		released: `"2"`, restored: `"1"`, imports: `metadata.labels.blue`, drift: `{"metadata":{"labels":{"blue":"9"}}}`,
	},
}

// passes has the resource of an object live.
func (l lifetime) passes(o *object) {
	o.Helper()
	o.Planned(o.block(l.create...))
	o.wantLive(l.created, l.steps...)
	o.PlanNothing()
	o.Planned(o.block(append(l.update, fixture.Overwrites)...))
	o.wantLive(l.updated, l.steps...)
	o.PlanNothing()

	o.merge(l.drift)
	said := o.Plan()
	if !l.vanishes {
		o.Wants(said, "Warning: Value Changed Since Last Apply")
	}
	o.Apply()
	o.wantLive(l.updated, l.steps...)
	o.PlanNothing()

	o.Destroy()
	o.wantLive(l.released, l.steps...)
	o.WantState()
}

func TestFieldsOfKinds(t *testing.T) {
	t.Parallel()
	for name, test := range lifetimes {
		t.Run(name, func(t *testing.T) {
			test.passes(made(t, test.of))
		})
		t.Run(name+", imported", func(t *testing.T) {
			o := made(t, test.of)
			o.Planned(o.block(test.create...))
			o.Planned(o.block(test.update...))
			o.Do("state", "rm", "cas_object_fields.it")
			o.imports(test.imports)
			was := o.live()
			if test.hasDefaults {
				o.Wants(o.Plan(), "1 to change")
				o.Apply()
				o.unchanged(was)
			}
			o.PlanNothing()
			o.Wants(o.Destroy(), "Warning: Field Stays In Place")
			o.unchanged(was)
		})
		t.Run(name+", restored", func(t *testing.T) {
			o := made(t, test.of)
			o.Planned(o.block(append(test.create, `deletion_policy = "restore"`)...))
			o.Planned(o.block(append(test.update, `deletion_policy = "restore"`)...))
			o.Destroy()
			o.wantLive(test.restored, test.steps...)
		})
	}
}
