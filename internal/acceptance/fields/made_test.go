package fields

import (
	"testing"
)

const (
	probe     = `spec.template.spec.containers[name=web].livenessProbe`
	inProbe   = `"` + probe + `.httpGet.path" = "/", "` + probe + `.httpGet.port" = 80`
	moreOther = `{"spec":{"more":{"z":"9"}}}` // of another writer
)

var probeSteps = []string{"spec", "template", "spec", "containers", "name=web", "livenessProbe"}

// Given maps that a write made on its way to fields, which the API server fills with defaults, and of which it takes none that lacks those fields; then a destroy takes
// them away as well. Where another has written into them, it is refused, and says how to go on.
func TestMapThatAWriteMade(t *testing.T) {
	t.Parallel()
	t.Run("on its way", func(t *testing.T) {
		o := made(t, deployment)
		o.Planned(o.block("fields = { " + inProbe + " }"))
		o.Planned(o.block("fields = { "+inProbe+", \"spec.replicas\" = 3 }", `expected_fields = { "spec.replicas" = 2 }`))
		o.Destroy()
		o.wantLive("", probeSteps...)
		o.wantLive("3", "spec", "replicas")
	})
	t.Run("and another wrote into", func(t *testing.T) {
		o := made(t, deployment)
		o.Planned(o.block("fields = { " + inProbe + " }"))
		o.do("PATCH", o.name, "application/strategic-merge-patch+json", `{"spec":{"template":{"spec":{"containers":[{"name":"web","livenessProbe":{"periodSeconds":5}}]}}}}`)
		was := o.live()
		o.Write("")
		o.Plan()
		o.ApplyRefused("Error: Request Refused", "422", `apply deletion_policy = "abandon", then destroy.`)
		o.unchanged(was)
	})
	t.Run("as one field", func(t *testing.T) {
		o := made(t, deployment)
		o.Planned(o.block(`fields = { "` + probe + `" = { httpGet = { path = "/", port = 80 } } }`))
		o.PlanNothing()
		o.Destroy()
		o.wantLive("", probeSteps...)
	})
}

// Given a map that a write of spec.more.a and spec.more.b made; when they go, then it goes as well if nothing else is in it by then.
func TestWhatStaysOfAMapThatAWriteMade(t *testing.T) {
	t.Parallel()
	const both = `fields = { "spec.more.a" = "1", "spec.more.b" = "2" }`
	for name, test := range map[string]struct {
		policy  string
		before  string // the patch of another writer before the plan of the removal
		update  string // the configuration before that; a destroy comes after it
		between string // the patch of another writer after that plan
		stays   string // of the map
	}{
		"nobody else wrote into it":        {},
		"restored":                         {policy: "restore"},
		"deleted":                          {policy: "delete"},
		"another wrote into it":            {before: moreOther, stays: `{"z":"9"}`},
		"another wrote into it, restored":  {policy: "restore", before: moreOther, stays: `{"z":"9"}`},
		"another did since the plan":       {between: moreOther, stays: `{"z":"9"}`},
		"another changed what is in it":    {before: `{"spec":{"more":{"a":"9"}}}`, stays: `{"a":"9"}`},
		"another removed what is in it":    {before: `{"spec":{"more":{"a":null}}}`},
		"an update wrote into it":          {update: `fields = { "spec.more.a" = "3", "spec.more.b" = "2", "spec.more.c" = "1" }`},
		"an update names some of it":       {update: `fields = { "spec.more.b" = "2" }`},
		"an update names none of it":       {update: `fields = { "spec.texts.new" = "1" }`},
		"an update removes what is in it":  {update: `fields = { "spec.more.a" = null, "spec.more.b" = null }`},
		"an update abandons what is in it": {update: "fields = { \"spec.texts.new\" = \"1\" }\n  deletion_policy = \"abandon\"", stays: `{"a":"1","b":"2"}`},
	} {
		t.Run(name, func(t *testing.T) {
			o := made(t, widget)
			policy := ""
			if test.policy != "" {
				policy = `deletion_policy = "` + test.policy + `"`
			}
			o.Planned(o.block(both, policy))
			if test.update != "" {
				o.Planned(o.block(test.update, policy))
			}
			if test.before != "" {
				o.merge(test.before)
			}
			o.Write("")
			o.Plan()
			if test.between != "" {
				o.merge(test.between)
			}
			o.Apply()
			o.wantLive(test.stays, "spec", "more")
			o.wantLive(`"1"`, "spec", "texts", "a")
		})
	}
}

// A map that is imported, or that another resource made, stays.
func TestMapThatIsNotKnownToBeMade(t *testing.T) {
	t.Parallel()
	const a, b = `fields = { "spec.more.a" = "1" }`, `fields = { "spec.more.b" = "1" }`
	t.Run("imported", func(t *testing.T) {
		o := made(t, widget)
		o.Planned(o.block(a))
		o.Do("state", "rm", "cas_object_fields.it")
		o.imports("spec.more.a")
		o.Planned(o.block(a, `deletion_policy = "delete"`))
		o.Destroy()
		o.wantLive("{}", "spec", "more")
	})
	t.Run("of another resource", func(t *testing.T) {
		o := made(t, widget)
		o.Planned(o.labeled("a", a))
		o.Planned(o.labeled("a", a) + o.labeled("b", b))
		o.Planned(o.labeled("b", b))
		o.wantLive(`{"b":"1"}`, "spec", "more")
		o.Destroy()
		o.wantLive("{}", "spec", "more")
	})
}
