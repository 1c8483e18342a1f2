package fields

import "testing"

// Given an object that is being deleted and that the resource's own finalizer holds; when the resource removes the
// finalizer; then the object is deleted.
func TestOwnFinalizerOfAnObjectThatIsBeingDeleted(t *testing.T) {
	t.Parallel()
	const finalizer = `"metadata.finalizers[=acme.io/mine]"`
	for name, lines := range map[string][]string{
		"an update that removes it": {`fields = { ` + finalizer + ` = null }`},
		"an update of all finalizers": {
			`fields = { "metadata.finalizers" = [], "metadata.labels.a" = "2" }`, `expected_fields = { "metadata.finalizers" = ["acme.io/mine"] }`,
		},
		"a path that leaves the configuration": {`fields = { "metadata.labels.a" = "1" }`},
		"a destroy":                            nil,
	} {
		t.Run(name, func(t *testing.T) {
			o := made(t, service)
			o.Planned(o.block(`fields = { ` + finalizer + ` = "acme.io/mine", "metadata.labels.a" = "1" }`))
			o.do("DELETE", o.name, "", "")
			o.Write("")
			if lines != nil {
				o.Write(o.block(lines...))
			}
			o.Plan()
			o.Apply()
			if all, ok := o.do("GET", "", "", "")["items"].([]any); !ok || len(all) > 0 {
				t.Errorf("live: %v", all)
			}
		})
	}
	t.Run("another field", func(t *testing.T) {
		o := made(t, ingress)
		o.do("DELETE", o.name, "", "")
		o.Write(o.block(`fields = { "spec.ingressClassName" = "b" }`))
		o.PlanRefused([]string{"Error: Object Is Being Deleted", "Finalizers: acme.io/hold"})
		o.merge(`{"metadata":{"finalizers":null}}`)
	})
}
