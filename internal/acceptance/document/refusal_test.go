package document

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// A document that cannot be changed safely is refused at plan, with key, line and reason, and nothing is written.
func TestRefusedDocuments(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		key, text, fields string
		wants             []string
	}{
		"invalid YAML":        {"a.yaml", "a: 1\nb: [\n", `{ "c" = 1 }`, []string{"Line: "}},
		"invalid JSON":        {"a.json", "{\n\"a\": 1,\n}", `{ "c" = 1 }`, []string{"Line: 3"}},
		"several documents":   {"a.yaml", "a: 1\n---\nb: 1\n", `{ "c" = 1 }`, []string{"Line: 3", "document"}},
		"a duplicate key":     {"a.yaml", "a: 1\na: 2\n", `{ "c" = 1 }`, []string{"Line: 2"}},
		"a key that is a map": {"a.yaml", "? {x: 1}\n: 1\n", `{ "c" = 1 }`, []string{"Line: 1"}},
		"a byte order mark":   {"a.yaml", "\ufeffa: 1\n", `{ "c" = 1 }`, []string{"byte order mark"}},
		"an alias":            {"a.yaml", "a: &x\n  b: 1\nc: *x\n", `{ "c.b" = 2 }`, []string{"alias"}},
		"an anchored value":   {"a.yaml", "a: &x\n  b: 1\nc: *x\n", `{ "a.b" = 2 }`, []string{"Line: ", "alias"}},
		"a custom tag":        {"a.yaml", "a: !secret b\n", `{ "a" = 2 }`, []string{"tag"}},
		"a merged member":     {"a.yaml", "x: &x\n  b: 1\nc:\n  <<: *x\n", `{ "c.b" = null }`, []string{"merge"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := made(t, test.key, test.text)
			was := d.Live("settings")
			lines := []string{"fields = " + test.fields}
			if strings.Contains(test.fields, `"c.b"`) || strings.Contains(test.fields, `"a.b"`) {
				lines = append(lines, strings.NewReplacer("fields", "expected_fields", "= 2", "= 1", "null", "1").Replace(lines[0]))
			}
			if name == "a custom tag" {
				lines = append(lines, `expected_fields = { "a" = "b" }`)
			}
			d.Write(d.block("it", lines...))
			d.PlanRefused(append([]string{"Error: ", test.key}, test.wants...))
			d.WantUnchanged(was)
		})
	}
}

// A text whose spelling excludes a change is refused at plan, for a create and for an update that follows a refresh.
func TestSpellingThatExcludesAChange(t *testing.T) {
	d := made(t, "a.yaml", "a: |\n  x") // a line after x would change a
	was := d.Live("settings")
	d.Write(d.block("it", `fields = { "b" = 1 }`))
	d.PlanRefused([]string{"Error: Document Does Not Fit", "a.yaml"})
	d.Planned(d.block("it", `fields = { "a" = "x" }`, "adopt_existing = true"))
	d.Write(d.block("it", `fields = { "a" = "x", "b" = 1 }`, "adopt_existing = true"))
	d.PlanRefused([]string{"Error: Document Does Not Fit", "a.yaml"})
	d.WantUnchanged(was)
}

// A plan does not refuse what another resource of the same apply makes possible: the removal of a large item.
func TestOtherResourceFreesSpace(t *testing.T) {
	d := made(t, "a.yaml", "filler: "+strings.Repeat("x", 940_000)+"\n")
	first := func(size int) string {
		return d.block("first", fmt.Sprintf(`fields = { "p" = %q }`, strings.Repeat("y", size)))
	}
	d.Planned(first(60_000))
	d.Write(first(10) + d.block("second", fmt.Sprintf(`fields = { "q" = %q }`, strings.Repeat("z", 100_000)), "depends_on = [cas_configmap_document.first]"))
	d.Wants(d.Plan(), "Warning: ConfigMap Too Large")
	d.Apply()
	d.PlanNothing()
}

// Others of a document with an alias or a tag can be changed.
func TestFieldsBesideWhatCannotBeChanged(t *testing.T) {
	d := made(t, "a.yaml", "a: &x\n  b: 1\nc: *x\nd: !secret e\nf: 1 # one\n")
	d.Planned(d.block("it", `fields = { "f" = 2 }`, `expected_fields = { "f" = 1 }`))
	d.wantText("a: &x\n  b: 1\nc: *x\nd: !secret e\nf: 2 # one\n")
}

// A document that somebody makes invalid is a warning of a refresh, and an error of a write.
func TestDocumentThatBecomesInvalid(t *testing.T) {
	d := made(t, "a.yaml", "a: 1\n")
	d.Planned(d.block("it", `fields = { "b" = 1 }`))
	d.Set("settings", "a.yaml", "a: [\n")
	d.Wants(d.PlanNothing(), "Warning: ", "a.yaml")
	d.WantState("it")
	d.Write(d.block("it", `fields = { "b" = 2 }`))
	d.PlanRefused([]string{"Error: ", "a.yaml", "Line: "})
	d.Set("settings", "a.yaml", "a: 1\nb: 1\n")
	d.PlanApply()
	d.wantText("a: 1\nb: 2\n")
}

// One key has one owner: an entry, a whole ConfigMap, or fields of one format.
func TestOverlaps(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ other, title string }{
		"an entry":          {`resource "cas_configmap_entry" "other" {` + "\n" + `namespace = NAMESPACE` + "\n" + `name = "settings"` + "\n" + `key = "a.yaml"` + "\n" + `value = "x"` + "\n}\n", "Written Twice"},
		"the same field":    {"", "Written Twice"},
		"another format":    {"", "Written Twice"},
		"a part of a field": {"", "Written Twice"},
	} {
		t.Run(name, func(t *testing.T) {
			d := made(t, "a.yaml", "{}\n")
			d.Unset("settings", "a.yaml")
			other := test.other
			switch name {
			case "the same field":
				other = d.block("other", `fields = { "b" = 1 }`)
			case "a part of a field":
				other = d.block("other", `fields = { "b.c" = 1 }`)
			case "another format":
				other = strings.Replace(d.block("other", `fields = { "c" = 1 }`), `"yaml"`, `"json"`, 1)
			}
			d.Write(d.block("it", `fields = { "b" = 1 }`) + other)
			d.PlanRefused([]string{test.title})
		})
	}
	t.Run("other fields", func(t *testing.T) {
		d := made(t, "a.yaml", "{}\n")
		d.Planned(d.block("it", `fields = { "b" = 1 }`) + d.block("other", `fields = { "c" = 1 }`))
		d.PlanNothing()
	})
}

func TestInvalidConfigurations(t *testing.T) {
	d := made(t, "a.yaml", "{}\n")
	for name, test := range map[string]struct {
		lines []string
		wants []string
	}{
		"the empty path": {[]string{`fields = { "" = 1 }`}, []string{"Error: Invalid Field Path"}},
		"no field":       {[]string{`fields = {}`}, []string{"Error: Missing Keys"}},
		"a bad path":     {[]string{`fields = { "a..b" = 1 }`}, []string{"Error: Invalid Field Path"}},
	} {
		d.Write(d.block("it", test.lines...))
		d.PlanRefused(test.wants)
		_ = name
	}
	d.Write(strings.Replace(d.block("it", `fields = { "a" = 1 }`), `"yaml"`, `"toml"`, 1))
	d.PlanRefused([]string{"Error: Invalid Format", `must be "yaml" or "json"`})
}

// A removal needs the document: a text that somebody makes invalid, before the plan or after it, is an error that names
// the line, and the resource stays. The policy "abandon" needs no document.
func TestRemovalFromAnInvalidDocument(t *testing.T) {
	t.Parallel()
	const was, written, invalid = "level: 1\nsize: 1\n", "level: 2\nsize: 1\ncolor: red\n", "level: 2\nsize: [\n"
	wants := []string{"Error: Document Does Not Fit", "a.yaml is no document of YAML", "Line: ", "Correct the document", `deletion_policy = "abandon"`, "!Found: a.yaml"}
	for policy, after := range map[string]string{
		"release": "level: 2\nsize: 1\n",
		"restore": was,
		"delete":  "size: 1\n",
	} {
		t.Run(policy, func(t *testing.T) {
			d := made(t, "a.yaml", was)
			const expects = `expected_fields = { "level" = 1 }`
			block := func(fields string, lines ...string) string {
				return d.block("it", append(lines, "fields = "+fields, "deletion_policy = "+fixture.Quoted(policy))...)
			}
			const all, rest = `{ "level" = 2, "color" = "red" }`, `{ "level" = 2 }`
			d.Planned(block(all, expects))
			d.wantText(written)

			d.Set("settings", "a.yaml", invalid)
			d.DestroyRefused(wants)
			d.Write("") // the removal of the block is planned as a destroy
			d.PlanRefused(wants)
			d.Write(block(rest)) // an update releases a path
			d.PlanRefused([]string{"Error: Document Does Not Fit", "Line: ", "!Found: a.yaml"})
			d.wantText(invalid)

			d.Set("settings", "a.yaml", written)
			d.Plan()
			d.Set("settings", "a.yaml", invalid)
			d.ApplyRefused("Error: Document Does Not Fit", "Line: ", "!Found: a.yaml")
			d.Set("settings", "a.yaml", written)
			d.Write("")
			d.Plan()
			d.Set("settings", "a.yaml", invalid)
			d.ApplyRefused(wants...)
			d.WantState("it")

			d.Export("CAS_PLAN_CHECK", "off")
			d.Write("")
			d.Plan()
			d.ApplyRefused(wants...)
			d.WantState("it")
			d.wantText(invalid)
			d.Set("settings", "a.yaml", written)
			d.PlanApply()
			d.wantText(after)
		})
	}
	t.Run("abandon", func(t *testing.T) {
		d := made(t, "a.yaml", "size: 1\n")
		d.Planned(d.block("it", `fields = { "level" = 2, "color" = "red" }`))
		d.Set("settings", "a.yaml", invalid)
		d.Planned(d.block("it", `fields = { "level" = 2 }`, `deletion_policy = "abandon"`))
		d.Destroy()
		d.wantText(invalid)
	})
}

// A drifted field whose removal is refused at apply, in a document that is invalid by then.
func TestRemovalOfADriftedFieldFromAnInvalidDocument(t *testing.T) {
	d := made(t, "a.yaml", "size: 1\n")
	d.Planned(d.block("it", `fields = { "level" = 2 }`, `deletion_policy = "delete"`))
	d.edit("level: 2", "level: 3")
	d.Export("CAS_PLAN_CHECK", "off")
	d.Write("")
	d.Plan()
	d.Set("settings", "a.yaml", "level: [\n")
	d.ApplyRefused("Error: Document Does Not Fit", "Line: ", "!Found: a.yaml")
}
