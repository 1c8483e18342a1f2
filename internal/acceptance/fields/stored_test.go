package fields

import "testing"

// Given a field that can only be written through a subresource, so that the API server ignores the write; then the
// apply says what is stored, and blames no admission policy. The advised value ends it.
func TestFieldThatTheAPIServerIgnores(t *testing.T) {
	o := made(t, sample{"v1", "Namespace", "namespaces", "NAME-2", `{"metadata":{"name":"NAME-2"}}`})
	const expects = `expected_fields = { "spec.finalizers" = ["kubernetes"] }`
	o.Write(o.block(`fields = { "spec.finalizers" = ["acme.io/hold"] }`, expects))
	o.Plan()
	o.Wants(o.Apply(), "Warning: Value Not Stored As Sent", "The API server did not store spec.finalizers as it was sent.",
		`At: [0] Sent: "acme.io/hold" Stored: "kubernetes"`, `or set "spec.finalizers" = ["kubernetes"] in fields`, "!dmission changed")
	o.Wants(o.Plan(), "1 to change")
	o.Write(o.block(`fields = { "spec.finalizers" = ["kubernetes"] }`, expects))
	o.PlanNothing()
}

// Given an element with defaults; when it is written without them; then the element that is stored again is the
// API server's form of the element that was sent.
func TestDefaultsThatWereThereBefore(t *testing.T) {
	o := made(t, service)
	o.Write(o.block(`fields = { "spec.ports[name=http]" = { name = "http", port = 80 } }`,
		`expected_fields = { "spec.ports[name=http]" = { name = "http", port = 80, protocol = "TCP", targetPort = 80 } }`))
	o.Plan()
	o.Wants(o.Apply(), "!Warning")
	o.PlanNothing()
}
