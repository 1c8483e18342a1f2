package entry

import (
	"encoding/base64"
	"net/http"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/behavior"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

func TestDestroyOfWhatIsGoneAlreadySucceeds(t *testing.T) {
	t.Parallel()
	gone := map[string]func(*fixture.Pipeline){
		"key gone":       func(p *fixture.Pipeline) { p.Unset("testmap", "foo") },
		"ConfigMap gone": func(p *fixture.Pipeline) { p.Remove("testmap") },
		"ConfigMap made again without the key": func(p *fixture.Pipeline) {
			p.Remove("testmap")
			p.Create("testmap", fixture.Data{"bar": "kept"})
		},
	}
	policies := map[string]string{
		"delete":                "",
		"restore, in key scope": "deletion_policy = \"restore\"\nconflict_scope = \"key\"",
	}
	for what, goes := range gone {
		for policy, lines := range policies {
			t.Run(what+"/"+policy, func(t *testing.T) {
				p := fixture.NewPipeline(t)
				left := func() {
					t.Helper()
					p.WantState()
					if exists := p.Exists("testmap"); exists != (what != "ConfigMap gone") {
						t.Errorf("the ConfigMap exists: %v", exists)
					} else if exists {
						p.WantLive("testmap", fixture.Data{"bar": "kept"})
					}
				}
				p.Create("testmap", fixture.Data{"foo": "1", "bar": "kept"})
				p.Planned(fixture.EntryBlock("foo", `value = "2"`, `expected_value = "1"`, lines))
				p.Plan("-destroy")
				goes(p)
				p.Apply()
				left()

				p.Remove("testmap")
				p.Create("testmap", fixture.Data{"foo": "1", "bar": "kept"})
				p.PlanApply()
				goes(p)
				p.Destroy("-refresh=false") // what the refresh would drop from the state
				left()
			})
		}
	}
}

func TestDestroyRestoresTheExactBytesThatWereThereFirst(t *testing.T) {
	t.Parallel()
	const restore = `deletion_policy = "restore"`
	raw := []byte{0, 0xff, 0xfe, '\n'}
	encoded := base64.StdEncoding.EncodeToString(raw)
	for name, test := range map[string]behavior.Restoration{
		"absent": {
			Writes: []string{fixture.EntryBlock("foo", restore, `value = "2"`)},
		},
		"text, after two updates": {
			Found: fixture.Contents{Data: fixture.Data{"foo": "1"}},
			Writes: []string{
				fixture.EntryBlock("foo", restore, `value = "2"`, `expected_value = "1"`),
				fixture.EntryBlock("foo", restore, `value = "3"`), fixture.EntryBlock("foo", restore, `value = "4"`),
			},
		},
		"the empty text": {
			Found:  fixture.Contents{Data: fixture.Data{"foo": ""}},
			Writes: []string{fixture.EntryBlock("foo", restore, `value = "2"`, `expected_value = ""`)},
		},
		"special characters": {
			Found:  fixture.Contents{Data: fixture.Data{"foo": "a<b&c>\"\\\u2028\t\r\n${x}😀"}},
			Writes: []string{fixture.EntryBlock("foo", restore, `value = "2"`, `expected_value = "a<b&c>\"\\\u2028\t\r\n$${x}😀"`)},
		},
		"bytes, over which text was written": {
			Found:  fixture.Contents{Bytes: map[string][]byte{"foo": raw}},
			Writes: []string{fixture.EntryBlock("foo", restore, `value = "2"`, `expected_value_base64 = "`+encoded+`"`)},
		},
		"text, over which bytes were written": {
			Found:  fixture.Contents{Data: fixture.Data{"foo": "1"}},
			Writes: []string{fixture.EntryBlock("foo", restore, `value_base64 = "`+encoded+`"`, `expected_value = "1"`)},
		},
		"decomposed text": {
			Found:  fixture.Contents{Data: fixture.Data{"foo": fixture.Decomposed}},
			Writes: []string{fixture.EntryBlock("foo", restore, `value = "2"`, `expected_value = "`+fixture.Composed+`"`)},
		},
		"decomposed text that was adopted": {
			Found: fixture.Contents{Data: fixture.Data{"foo": fixture.Decomposed}},
			Writes: []string{
				fixture.EntryBlock("foo", restore, `value = "`+fixture.Composed+`"`, `adopt_existing = true`),
				fixture.EntryBlock("foo", restore, `value = "2"`),
			},
		},
		"adopted and never written": {
			Found:  fixture.Contents{Data: fixture.Data{"foo": fixture.Decomposed}},
			Writes: []string{fixture.EntryBlock("foo", restore, `value = "`+fixture.Composed+`"`, `adopt_existing = true`)}, Unwritten: true,
		},
		"decomposed text that was imported": {
			Found: fixture.Contents{Data: fixture.Data{"foo": fixture.Decomposed}}, Address: "cas_configmap_entry.foo", ID: "/foo",
			Writes: []string{fixture.EntryBlock("foo", restore, `value = "2"`)},
		},
		"bytes that were imported": {
			Found: fixture.Contents{Bytes: map[string][]byte{"foo": raw}}, Address: "cas_configmap_entry.foo", ID: "/foo",
			Writes: []string{fixture.EntryBlock("foo", restore, `value_base64 = "AAAA"`), fixture.EntryBlock("foo", restore, `value = "2"`)},
		},
	} {
		t.Run(name, test.Run)
	}
}

func TestDestroyAbandonsTheKeyWithoutAWrite(t *testing.T) {
	t.Parallel()
	for name, foreign := range map[string]fixture.ForeignWrite{
		"quiet": nobodyWrites, "the key was written": fixture.SameKeyWritten, "made again": fixture.MadeAgain,
		"gone":      func(f *fixture.Fixture, name string) { f.Unset(name, "foo") },
		"immutable": func(f *fixture.Fixture, name string) { f.Change(name, fixture.Freeze) },
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Testmap(fixture.Contents{})
			p.Planned(fixture.EntryBlock("foo", `value = "2"`, `deletion_policy = "abandon"`))
			p.Plan("-destroy")
			foreign(p.Fixture, "testmap")
			before := p.Live("testmap")
			p.Apply()
			p.WantUnchanged(before)
			p.WantState()
		})
	}
}

func TestDestroyOfAValueThatThisResourceDidNotWrite(t *testing.T) {
	t.Parallel()
	const warning = "Warning: Value Changed Since Last Apply"

	t.Run("delete warns, and removes what it showed", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Testmap(fixture.Contents{})
		p.Planned(fixture.EntryBlock("foo", fixture.Deletes, fixture.Overwrites, `value = "2"`))
		p.Set("testmap", "foo", "foreign")
		p.Wants(p.Plan("-destroy"), warning, `Found: "foreign"`, "The apply removes it if it still holds what the plan found.")
		p.Apply()
		p.WantContents(fixture.Contents{})
	})
	t.Run("delete does not warn of what an apply wrote, nor of another key", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Testmap(fixture.Contents{})
		p.Planned(fixture.EntryBlock("foo", fixture.Deletes, fixture.Overwrites, `value = "2"`))
		p.Planned(fixture.EntryBlock("foo", fixture.Deletes, `value = "3"`))
		p.Set("testmap", "bar", "foreign")
		p.Wants(p.Plan("-destroy"), "!"+warning)
		p.Apply()
		p.WantLive("testmap", fixture.Data{"bar": "foreign"})
	})
	for _, scope := range []string{"object", "key"} {
		t.Run("delete conflicts with what changed again, in scope "+scope, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Testmap(fixture.Contents{})
			p.Planned(fixture.EntryBlock("foo", fixture.Deletes, fixture.Overwrites, `value = "2"`, `conflict_scope = "`+scope+`"`))
			p.Set("testmap", "foo", "foreign")
			p.Plan("-destroy")
			p.Set("testmap", "foo", "foreign again")
			p.ApplyRefused("Error: Compare-And-Swap Conflict", `Expected: "foreign"`, `Found: "foreign again"`, "Nothing was removed.")
			p.WantLive("testmap", fixture.Data{"foo": "foreign again"})
			p.WantState("foo")
			p.Destroy()
			p.WantContents(fixture.Contents{})
		})
	}
}

func TestRestoreSendsNothingWhereTheKeyHoldsTheOriginal(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "2"})
	proxy := p.Proxied()
	p.Planned(fixture.EntryBlock("it", `value = "2"`, `adopt_existing = true`, `deletion_policy = "restore"`))
	version := p.Live("testmap").ResourceVersion
	p.Plan("-destroy")
	proxy.Reset()
	p.Apply()
	if n := proxy.Count(http.MethodPatch); n != 0 || p.Live("testmap").ResourceVersion != version {
		t.Errorf("%d writes: %v", n, proxy.Requests())
	}
}

// Given a key that another writer changed and that restore would put back; when that writer undoes the change between two
// reads of the plan; then the plan says nothing, since it reports a change only after a fresh read.
func TestPlannedRemovalReportsOnlyAFreshRead(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "1"})
	p.Planned(fixture.EntryBlock("foo", `value = "2"`, `expected_value = "1"`, `deletion_policy = "restore"`))
	p.Set("testmap", "foo", "99")
	proxy := p.Proxied()
	reads := 0
	proxy.SetHook(func(*http.Request) testcluster.Fault {
		if reads++; reads == 2 {
			p.Set("testmap", "foo", "2")
		}
		return testcluster.Fault{}
	})
	p.Write("")
	p.Plan()
	if reads < 2 {
		t.Errorf("%d reads, want another one before the plan tells", reads)
	}
	p.Apply()
	p.WantLive("testmap", fixture.Data{"foo": "1"})
}
