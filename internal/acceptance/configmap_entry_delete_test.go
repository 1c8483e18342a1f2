package acceptance_test

import (
	"encoding/base64"
	"net/http"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// decomposed is NFD: Terraform makes composed of it wherever a configuration or a provider writes it down.
const decomposed, composed = "cafe\u0301", "caf\u00e9"

func TestDestroyOfWhatIsGoneAlreadySucceeds(t *testing.T) {
	t.Parallel()
	gone := map[string]func(*pipeline){
		"key gone":       func(p *pipeline) { p.unset("testmap", "foo") },
		"ConfigMap gone": func(p *pipeline) { p.remove("testmap") },
		"ConfigMap made again without the key": func(p *pipeline) {
			p.remove("testmap")
			p.create("testmap", data{"bar": "kept"})
		},
	}
	policies := map[string]string{
		"delete":                "",
		"restore, in key scope": "deletion_policy = \"restore\"\nconflict_scope = \"key\"",
	}
	for what, goes := range gone {
		for policy, lines := range policies {
			t.Run(what+"/"+policy, func(t *testing.T) {
				p := newPipeline(t)
				left := func() {
					t.Helper()
					p.wantState()
					if exists := p.exists("testmap"); exists != (what != "ConfigMap gone") {
						t.Errorf("the ConfigMap exists: %v", exists)
					} else if exists {
						p.wantLive("testmap", data{"bar": "kept"})
					}
				}
				p.create("testmap", data{"foo": "1", "bar": "kept"})
				p.planned(entryBlock("foo", `value = "2"`, `expected_value = "1"`, lines))
				p.plan("-destroy")
				goes(p)
				p.apply()
				left()

				p.remove("testmap")
				p.create("testmap", data{"foo": "1", "bar": "kept"})
				p.planApply()
				goes(p)
				p.destroy("-refresh=false") // what the refresh would drop from the state
				left()
			})
		}
	}
}

// restoration is what becomes of a ConfigMap in which keys are written and then restored.
type restoration struct {
	found       contents
	address, id string // of an import that comes first; the id without the ConfigMap's
	writes      []string
	left        contents // where it is not found that is left
	unwritten   bool     // nor is it written once
}

func (r restoration) run(t *testing.T) {
	p := newPipeline(t)
	p.testmap(r.found)
	before := p.live("testmap")
	p.write(r.writes[0])
	if r.address != "" {
		p.do("import", r.address, p.namespace+"/testmap"+r.id)
	}
	for _, body := range r.writes {
		p.planned(body)
	}
	p.destroy()
	if r.left.Data == nil {
		r.left = r.found
	}
	p.wantContents(r.left)
	p.wantState()
	if r.unwritten {
		p.wantUnchanged(before)
	}
}

func TestDestroyRestoresTheExactBytesThatWereThereFirst(t *testing.T) {
	t.Parallel()
	const restore = `deletion_policy = "restore"`
	raw := []byte{0, 0xff, 0xfe, '\n'}
	encoded := base64.StdEncoding.EncodeToString(raw)
	for name, test := range map[string]restoration{
		"absent": {
			writes: []string{entryBlock("foo", restore, `value = "2"`)},
		},
		"text, after two updates": {
			found: contents{Data: data{"foo": "1"}},
			writes: []string{
				entryBlock("foo", restore, `value = "2"`, `expected_value = "1"`),
				entryBlock("foo", restore, `value = "3"`), entryBlock("foo", restore, `value = "4"`),
			},
		},
		"the empty text": {
			found:  contents{Data: data{"foo": ""}},
			writes: []string{entryBlock("foo", restore, `value = "2"`, `expected_value = ""`)},
		},
		"special characters": {
			found:  contents{Data: data{"foo": "a<b&c>\"\\\u2028\t\r\n${x}😀"}},
			writes: []string{entryBlock("foo", restore, `value = "2"`, `expected_value = "a<b&c>\"\\\u2028\t\r\n$${x}😀"`)},
		},
		"bytes, over which text was written": {
			found:  contents{Bytes: map[string][]byte{"foo": raw}},
			writes: []string{entryBlock("foo", restore, `value = "2"`, `expected_value_base64 = "`+encoded+`"`)},
		},
		"text, over which bytes were written": {
			found:  contents{Data: data{"foo": "1"}},
			writes: []string{entryBlock("foo", restore, `value_base64 = "`+encoded+`"`, `expected_value = "1"`)},
		},
		"decomposed text": {
			found:  contents{Data: data{"foo": decomposed}},
			writes: []string{entryBlock("foo", restore, `value = "2"`, `expected_value = "`+composed+`"`)},
		},
		"decomposed text that was adopted": {
			found: contents{Data: data{"foo": decomposed}},
			writes: []string{
				entryBlock("foo", restore, `value = "`+composed+`"`, `adopt_existing = true`),
				entryBlock("foo", restore, `value = "2"`),
			},
		},
		"adopted and never written": {
			found:  contents{Data: data{"foo": decomposed}},
			writes: []string{entryBlock("foo", restore, `value = "`+composed+`"`, `adopt_existing = true`)}, unwritten: true,
		},
		"decomposed text that was imported": {
			found: contents{Data: data{"foo": decomposed}}, address: "cas_configmap_entry.foo", id: "/foo",
			writes: []string{entryBlock("foo", restore, `value = "2"`)},
		},
		"bytes that were imported": {
			found: contents{Bytes: map[string][]byte{"foo": raw}}, address: "cas_configmap_entry.foo", id: "/foo",
			writes: []string{entryBlock("foo", restore, `value_base64 = "AAAA"`), entryBlock("foo", restore, `value = "2"`)},
		},
	} {
		t.Run(name, test.run)
	}
}

func TestDestroyAbandonsTheKeyWithoutAWrite(t *testing.T) {
	t.Parallel()
	for name, foreign := range map[string]foreignWrite{
		"quiet": nobodyWrites, "the key was written": sameKeyWritten, "made again": madeAgain,
		"gone":      func(f *fixture, name string) { f.unset(name, "foo") },
		"immutable": func(f *fixture, name string) { f.change(name, freeze) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			p.testmap(contents{})
			p.planned(entryBlock("foo", `value = "2"`, `deletion_policy = "abandon"`))
			p.plan("-destroy")
			foreign(p.fixture, "testmap")
			before := p.live("testmap")
			p.apply()
			p.wantUnchanged(before)
			p.wantState()
		})
	}
}

func TestDestroyOfAValueThatThisResourceDidNotWrite(t *testing.T) {
	t.Parallel()
	const warning = "Warning: Value Changed Since Last Apply"

	t.Run("delete warns, and removes what it showed", func(t *testing.T) {
		p := newPipeline(t)
		p.testmap(contents{})
		p.planned(entryBlock("foo", `value = "2"`))
		p.set("testmap", "foo", "foreign")
		p.wants(p.plan("-destroy"), warning, `Found: "foreign"`, "The apply removes it if it still holds what the plan found.")
		p.apply()
		p.wantContents(contents{})
	})
	t.Run("delete does not warn of what an apply wrote, nor of another key", func(t *testing.T) {
		p := newPipeline(t)
		p.testmap(contents{})
		p.planned(entryBlock("foo", `value = "2"`))
		p.planned(entryBlock("foo", `value = "3"`))
		p.set("testmap", "bar", "foreign")
		p.wants(p.plan("-destroy"), "!"+warning)
		p.apply()
		p.wantLive("testmap", data{"bar": "foreign"})
	})
	for _, scope := range []string{"object", "key"} {
		t.Run("delete conflicts with what changed again, in scope "+scope, func(t *testing.T) {
			p := newPipeline(t)
			p.testmap(contents{})
			p.planned(entryBlock("foo", `value = "2"`, `conflict_scope = "`+scope+`"`))
			p.set("testmap", "foo", "foreign")
			p.plan("-destroy")
			p.set("testmap", "foo", "foreign again")
			p.applyRefused("Error: Compare-And-Swap Conflict", `Expected: "foreign"`, `Found: "foreign again"`, "Nothing was removed.")
			p.wantLive("testmap", data{"foo": "foreign again"})
			p.wantState("foo")
			p.destroy()
			p.wantContents(contents{})
		})
	}
	for _, check := range []string{"error", "warning", "off"} {
		t.Run("restore refuses with plan_check "+check, func(t *testing.T) {
			const refused = "Error: Value Changed Since Last Apply"
			p := newPipeline(t)
			p.setenv("CAS_PLAN_CHECK", check)
			p.create("testmap", data{"foo": "1"})
			p.planned(entryBlock("foo", `value = "2"`, `expected_value = "1"`, `deletion_policy = "restore"`))
			p.write(entryBlock("foo", `value = "2"`, `deletion_policy = "restore"`))
			p.set("testmap", "foo", "foreign")
			wants := []string{refused, `Found: "foreign"`, `deletion_policy = "abandon"`}
			if check == "error" {
				p.planRefused(wants, "-destroy")
			} else {
				p.plan("-destroy")
				p.applyRefused(wants...) // apply checks regardless
			}
			p.wantLive("testmap", data{"foo": "foreign"})
			p.wantState("foo")

			// The way on that the error names.
			p.planned(entryBlock("foo", `value = "foreign"`, `deletion_policy = "abandon"`))
			p.destroy()
			p.wantLive("testmap", data{"foo": "foreign"})
			p.wantState()
		})
	}
}

func TestRestoreSendsNothingWhereTheKeyHoldsTheOriginal(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", data{"foo": "2"})
	proxy := p.proxied()
	p.planned(entryBlock("it", `value = "2"`, `adopt_existing = true`, `deletion_policy = "restore"`))
	version := p.live("testmap").ResourceVersion
	p.plan("-destroy")
	proxy.Reset()
	p.apply()
	if n := proxy.Count(http.MethodPatch); n != 0 || p.live("testmap").ResourceVersion != version {
		t.Errorf("%d writes: %v", n, proxy.Requests())
	}
}

// Given a plan that finds another's value in a key that is to be restored; when that one puts back what was there before the plan has told of
// it; then the plan tells nothing: what it refuses is no old read.
func TestPlannedRemovalIsRefusedOnAFreshReadOnly(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", data{"foo": "1"})
	p.planned(entryBlock("foo", `value = "2"`, `expected_value = "1"`, `deletion_policy = "restore"`))
	p.set("testmap", "foo", "99")
	proxy := p.proxied()
	reads := 0
	proxy.SetHook(func(*http.Request) testcluster.Fault {
		if reads++; reads == 2 {
			p.set("testmap", "foo", "2")
		}
		return testcluster.Fault{}
	})
	p.write("")
	p.plan()
	if reads < 2 {
		t.Errorf("%d reads, want another one before the plan tells", reads)
	}
	p.apply()
	p.wantLive("testmap", data{"foo": "1"})
}
