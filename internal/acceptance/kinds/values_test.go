package kinds

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// TestValuesOfBothKinds writes each sort of value, over each and under each, and finds the exact bytes.
func TestValuesOfBothKinds(t *testing.T) {
	longExpression, long := fixture.KiB(100, "x")
	expression := func(value string) string {
		if value == long {
			return longExpression
		}
		return fixture.Quoted(value)
	}
	values := []struct{ text, bytes string }{
		{text: "1"},
		{text: ""},
		{text: "a<b&c>\"\\\u2028\t\r\n${x}😀"},
		{text: fixture.Composed},
		{text: long},
		{bytes: "\xff\x00\xfe\n"},
	}
	onKinds(t, func(p *fixture.Pipeline, o fixture.Object, form string) {
		o.Create(kept)
		attributes := func(name, value string, bytes bool) string {
			suffix := o.Kind.Suffix
			switch {
			case form == "entry" && bytes:
				return fmt.Sprintf("%s_base64%s = %q", name, suffix, base64.StdEncoding.EncodeToString([]byte(value)))
			case form == "entry":
				return fmt.Sprintf("%s%s = %s", name, suffix, expression(value))
			case bytes:
				return fmt.Sprintf("%s%s = { foo = %q }", strings.Replace(name, "value", "binary_data", 1), suffix,
					base64.StdEncoding.EncodeToString([]byte(value)))
			default:
				return fmt.Sprintf("%s%s = { foo = %s }", strings.Replace(name, "value", "data", 1), suffix, expression(value))
			}
		}
		for version, v := range values {
			value, isBytes := v.text+v.bytes, v.bytes != ""
			lines := []string{attributes("value", value, isBytes)}
			if version > 0 {
				was := values[version-1]
				lines = append(lines, attributes("expected_value", was.text+was.bytes, was.bytes != ""))
			}
			if o.Kind.IsSecret() {
				lines = append(lines, fmt.Sprintf("%s_wo_version = %d", map[string]string{"entry": "value", "data": "data"}[form], version))
			}
			p.Planned(o.Kind.ResourceBlock(form, lines...))
			live := o.Live()
			found := live.Data["foo"]
			if isBytes && !o.Kind.IsSecret() {
				found = string(p.Live("testmap").BinaryData["foo"])
			}
			if found != value {
				t.Errorf("live: %d bytes %.20q, want %d bytes %.20q", len(found), found, len(value), value)
			}
			p.PlanNothing()
		}
		p.Destroy()
		if got := o.Live(); len(got.Data) != 1 || got.Data["bar"] != "kept" {
			t.Errorf("live: %.100q", got.Data)
		}
	})
}

// TestUpdateThatOnlyLetsGoOfAKey: the state tells the version that the removal made, and what it removed.
func TestUpdateThatOnlyLetsGoOfAKey(t *testing.T) {
	test := func(p *fixture.Pipeline, o fixture.Object, form string) {
		if form == "entry" {
			return // it has one key
		}
		o.Create(fixture.Data{"kept": "1"})
		name := form + o.Kind.Suffix
		holding := func(keys ...string) string {
			values := ""
			for _, key := range keys {
				values += fmt.Sprintf("    %q = \"1\"\n", o.Kind.Key(key))
			}
			lines := []string{name + " = {\n" + values + "  }"}
			if o.Kind.IsSecret() {
				lines = append(lines, name+"_version = 1")
			}
			return o.Kind.ResourceBlock(form, lines...)
		}
		p.Planned(holding("foo", "goes"))
		before := o.Live().Metadata.ResourceVersion
		p.Planned(holding("foo"))
		live := o.Live()
		if live.Data["goes"] != "" || live.Metadata.ResourceVersion == before {
			p.Fatalf("nothing was removed: %v", live)
		}
		state := p.State()["it"].Attributes
		if got := state["resource_version"]; got != live.Metadata.ResourceVersion {
			p.Errorf("the state has resource_version %v, want %s; before it was %s", got, live.Metadata.ResourceVersion, before)
		}
		previous, isMap := state["previous_"+form].(map[string]any)
		if _, also := previous[o.Kind.Key("goes")]; !o.Kind.IsSecret() && (!isMap || len(previous) != 1 || !also) {
			p.Errorf("the state has previous_%s = %v, want what %s held", form, state["previous_"+form], o.Kind.Key("goes"))
		}
	}
	onKinds(t, test)
	onFields(t, test)
}
