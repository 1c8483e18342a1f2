package driver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

// String returns the text that a plan prints about its changes.
func (p *Plan) String() string {
	var b strings.Builder
	add, change, destroy, imported := 0, 0, 0, 0
	for _, c := range p.Changes {
		var line string
		if c.Imported {
			imported++
		}
		switch c.Action {
		case Create:
			add++
			line = "will be created"
		case Update:
			change++
			line = "will be updated in-place"
		case Delete:
			destroy++
			line = "will be destroyed"
		case Read:
			line = "will be read during apply"
		case DeleteThenCreate, CreateThenDelete:
			add, destroy = add+1, destroy+1
			switch {
			case c.Tainted:
				line = "is tainted, so must be replaced"
			case c.Forced:
				line = "will be replaced, as requested"
			default:
				line = "must be replaced"
			}
		default:
			continue
		}
		address := c.Address
		if c.Deposed != "" {
			address += " (deposed object " + c.Deposed + ")"
		}
		b.WriteString("\n  # " + address + " " + line + "\n" + c.attributes())
	}
	switch {
	case !p.HasChanges():
		b.WriteString("\nNo changes. Your infrastructure matches the configuration.\n")
	case p.Options.RefreshOnly:
		b.WriteString("\nNote: Objects have changed outside of Terraform\n")
	default:
		b.WriteString("\nPlan: ")
		if imported > 0 {
			b.WriteString(number(imported) + " to import, ")
		}
		b.WriteString(number(add) + " to add, " + number(change) + " to change, " + number(destroy) + " to destroy.\n")
	}
	return b.String()
}

// attributes returns the attributes that a change gives another value.
func (c *Change) attributes() string {
	if c.After == cty.NilVal || c.After.IsNull() || !c.After.IsKnown() {
		return ""
	}
	var b strings.Builder
	after := c.After.AsValueMap()
	for _, name := range slices.Sorted(maps.Keys(after)) {
		was := cty.NullVal(after[name].Type())
		if c.Before != cty.NilVal && !c.Before.IsNull() {
			was = c.Before.GetAttr(name)
		}
		switch {
		case was.RawEquals(after[name]):
		case c.in != nil && c.in.sensitive[name]:
			b.WriteString("      ~ " + name + " = (sensitive value)\n")
		case was.Type().IsMapType() && was.IsWhollyKnown() && after[name].IsWhollyKnown():
			b.WriteString("      ~ " + name + " = {" + c.forces(name) + "\n" + elements(valuesOf(was), valuesOf(after[name])))
		case was.IsNull():
			b.WriteString("      + " + name + " = " + shown(after[name]) + "\n")
		default:
			b.WriteString("      ~ " + name + " = " + shown(was) + " -> " + shown(after[name]) + c.forces(name) + "\n")
		}
	}
	return b.String()
}

func (c *Change) forces(name string) string {
	if slices.Contains(c.replaces, name) {
		return " # forces replacement"
	}
	return ""
}

// valuesOf are the elements of a map, which may be null.
func valuesOf(v cty.Value) map[string]cty.Value {
	if v.IsNull() {
		return nil
	}
	return v.AsValueMap()
}

// elements returns the elements of a map that a change gives another value.
func elements(was, now map[string]cty.Value) string {
	var b strings.Builder
	keys := map[string]bool{}
	for key := range was {
		keys[key] = true
	}
	for key := range now {
		keys[key] = true
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		old, isOld := was[key]
		v, isNew := now[key]
		switch {
		case !isOld:
			fmt.Fprintf(&b, "          + %q = %s\n", key, shown(v))
		case !isNew:
			fmt.Fprintf(&b, "          - %q = %s -> null\n", key, shown(old))
		case !old.RawEquals(v):
			fmt.Fprintf(&b, "          ~ %q = %s -> %s\n", key, shown(old), shown(v))
		}
	}
	return b.String()
}

func shown(v cty.Value) string {
	switch {
	case !v.IsKnown():
		return "(known after apply)"
	case v.IsNull():
		return "null"
	case !v.IsWhollyKnown():
		return "(partly known after apply)"
	}
	raw, err := ctyjson.Marshal(v, v.Type())
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// Diagnostic is an error or a warning.
type Diagnostic struct {
	IsError bool
	Summary string
	Detail  string
	Address string // empty where it is about no resource

	attribute *tftypes.AttributePath
	place     string // on main.tf line ..., where that is known
}

// Diagnostics are all of a command.
type Diagnostics []Diagnostic

// HasErrors reports whether one is an error.
func (d Diagnostics) HasErrors() bool {
	for _, diag := range d {
		if diag.IsError {
			return true
		}
	}
	return false
}

// String returns the text of the diagnostics that a command line prints, in its order, without frames and colors.
func (d Diagnostics) String() string {
	var b strings.Builder
	for _, diag := range d {
		severity := "Warning"
		if diag.IsError {
			severity = "Error"
		}
		fmt.Fprintf(&b, "\n%s: %s\n\n", severity, diag.Summary)
		if diag.Address != "" {
			fmt.Fprintf(&b, "  with %s,\n", diag.Address)
		}
		if diag.place != "" {
			fmt.Fprintf(&b, "  %s\n", diag.place)
		}
		fmt.Fprintf(&b, "\n%s\n", diag.Detail)
	}
	return b.String()
}

func fromHCL(address string, all hcl.Diagnostics) (diags Diagnostics) {
	for _, d := range all {
		diags = append(diags, Diagnostic{IsError: d.Severity == hcl.DiagError, Summary: d.Summary, Detail: d.Detail, Address: address})
	}
	return diags
}
