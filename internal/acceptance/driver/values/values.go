// Package values has what package driver and package builtin do with values and schemas: types, the wire, what Terraform proposes, and what it refuses
// of a plan.
//
// It knows values and schemas, and must not know commands, configurations or what a provider is about.
package values

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/hashicorp/hcl/v2/hcldec"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"
)

// TypeOf is the type of a value as configurations have it.
func TypeOf(t tftypes.Type) cty.Type {
	raw, err := json.Marshal(t)
	if err != nil {
		panic(err)
	}
	ty, err := ctyjson.UnmarshalType(raw)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", raw, err))
	}
	return ty
}

// known are the types and the decoders of schemas, which take longer to make than to use.
var known sync.Map // *tfprotov6.Schema to *Decoder

// Decoder reads blocks of a schema.
type Decoder struct {
	ty   cty.Type
	Spec hcldec.Spec
}

// DecoderOf gives the decoder of a schema.
func DecoderOf(s *tfprotov6.Schema) *Decoder {
	if d, ok := known.Load(s); ok {
		return d.(*Decoder) //nolint:forcetypeassert,errcheck // it holds nothing else
	}
	d := &Decoder{TypeOf(s.ValueType()), specOf(s.Block)}
	known.Store(s, d)
	return d
}

// TypeOfSchema is the type of values of a schema.
func TypeOfSchema(s *tfprotov6.Schema) cty.Type { return DecoderOf(s).ty }

// Encode is a value as the protocol carries it.
func Encode(v cty.Value, ty cty.Type) *tfprotov6.DynamicValue {
	raw, err := msgpack.Marshal(v, ty)
	if err != nil {
		panic(fmt.Sprintf("%#v: %v", v, err))
	}
	return &tfprotov6.DynamicValue{MsgPack: raw}
}

// Decode returns the value that a provider answered; null if it answered nothing.
func Decode(v *tfprotov6.DynamicValue, ty cty.Type) (cty.Value, error) {
	switch {
	case v == nil:
		return cty.NullVal(ty), nil
	case len(v.JSON) > 0:
		return ctyjson.Unmarshal(v.JSON, ty)
	default:
		return msgpack.Unmarshal(v.MsgPack, ty)
	}
}

// ProposedNew returns the value that a plan begins with: the configuration, and without one, the prior value of a computed
// attribute. A write-only attribute has its configured value.
// Terraform's rules for nested attributes and blocks are more than this; schemas that need more are refused.
func ProposedNew(block *tfprotov6.SchemaBlock, prior, config cty.Value) cty.Value {
	values := map[string]cty.Value{}
	for _, a := range block.Attributes {
		v := config.GetAttr(a.Name)
		switch {
		case v.IsNull() && a.Computed && !prior.IsNull():
			v = prior.GetAttr(a.Name)
		case a.NestedType != nil && computes(a.NestedType.Attributes):
			panic("nested attributes that the provider computes: " + a.Name)
		}
		values[a.Name] = v
	}
	for _, b := range block.BlockTypes {
		v := config.GetAttr(b.TypeName)
		if b.Nesting != tfprotov6.SchemaNestedBlockNestingModeList || len(b.Block.BlockTypes) > 0 {
			panic("a nested block that is not a list of flat ones: " + b.TypeName)
		}
		values[b.TypeName] = v
		if v.IsNull() || !v.IsKnown() || v.LengthInt() == 0 {
			continue
		}
		var elements []cty.Value
		for i, element := range v.AsValueSlice() {
			was := cty.NullVal(element.Type())
			if !prior.IsNull() && i < prior.GetAttr(b.TypeName).LengthInt() {
				was = prior.GetAttr(b.TypeName).Index(cty.NumberIntVal(int64(i)))
			}
			elements = append(elements, ProposedNew(b.Block, was, element))
		}
		values[b.TypeName] = cty.ListVal(elements)
	}
	return cty.ObjectVal(values)
}

func computes(attributes []*tfprotov6.SchemaAttribute) bool {
	for _, a := range attributes {
		if a.Computed || a.NestedType != nil && computes(a.NestedType.Attributes) {
			return true
		}
	}
	return false
}

// InvalidPlan returns Terraform's objections to a planned value: a configured value must be planned as it is, or as it was.
func InvalidPlan(block *tfprotov6.SchemaBlock, prior, config, planned cty.Value) string {
	if planned.IsNull() || !planned.IsKnown() {
		return "the planned value is not an object"
	}
	for _, a := range block.Attributes {
		want, got := config.GetAttr(a.Name), planned.GetAttr(a.Name)
		isPrior := !want.IsNull() && !prior.IsNull() && got.RawEquals(prior.GetAttr(a.Name))
		switch {
		case a.WriteOnly:
			if !got.IsNull() {
				return a.Name + " is write-only, and planned with a value"
			}
		case want.IsNull() && a.Computed:
		case !got.RawEquals(want) && !isPrior:
			return fmt.Sprintf("%s is configured as %#v and planned as %#v", a.Name, want, got)
		}
	}
	return ""
}

// Departs returns the place where an actual value departs from a planned one, which may hold unknowns.
func Departs(at string, planned, actual cty.Value) string {
	switch {
	case !planned.IsKnown():
		return ""
	case planned.IsWhollyKnown() && planned.RawEquals(actual):
		return ""
	case planned.IsWhollyKnown(), planned.IsNull(), actual.IsNull():
		return fmt.Sprintf("%s: was %#v, but now %#v", at, planned, actual)
	case planned.Type().IsObjectType() && actual.Type().IsObjectType(), planned.Type().IsMapType() && actual.Type().IsMapType():
		was, is := planned.AsValueMap(), actual.AsValueMap()
		if len(was) != len(is) {
			return fmt.Sprintf("%s: had %d elements, but now %d", at, len(was), len(is))
		}
		for name := range was {
			element, ok := is[name]
			if !ok {
				return fmt.Sprintf("%s: lacks %s", at, name)
			}
			if d := Departs(at+"."+name, was[name], element); d != "" {
				return d
			}
		}
		return ""
	case planned.Type().IsListType() && actual.Type().IsListType():
		was, is := planned.AsValueSlice(), actual.AsValueSlice()
		if len(was) != len(is) {
			return fmt.Sprintf("%s: had %d elements, but now %d", at, len(was), len(is))
		}
		for i := range was {
			if d := Departs(fmt.Sprintf("%s[%d]", at, i), was[i], is[i]); d != "" {
				return d
			}
		}
		return ""
	default:
		return "" // a set with an unknown in it
	}
}

func specOf(b *tfprotov6.SchemaBlock) hcldec.Spec {
	spec := hcldec.ObjectSpec{}
	for _, a := range b.Attributes {
		ty := cty.DynamicPseudoType // of a nested one, which is converted later
		if a.NestedType == nil {
			ty = TypeOf(a.ValueType())
		}
		spec[a.Name] = &hcldec.AttrSpec{Name: a.Name, Type: ty, Required: a.Required}
	}
	for _, n := range b.BlockTypes {
		if n.Nesting != tfprotov6.SchemaNestedBlockNestingModeList && n.Nesting != tfprotov6.SchemaNestedBlockNestingModeSingle {
			panic("a nested block that is neither a list nor single: " + n.TypeName)
		}
		spec[n.TypeName] = &hcldec.BlockListSpec{TypeName: n.TypeName, Nested: specOf(n.Block)}
		if n.Nesting == tfprotov6.SchemaNestedBlockNestingModeSingle {
			spec[n.TypeName] = &hcldec.BlockSpec{TypeName: n.TypeName, Nested: specOf(n.Block)}
		}
	}
	return spec
}

// Optional is a type whose attributes may be left out.
func Optional(ty cty.Type, nested *tfprotov6.SchemaObject) cty.Type {
	var names []string
	for _, a := range nested.Attributes {
		if !a.Required {
			names = append(names, a.Name)
		}
	}
	switch nested.Nesting {
	case tfprotov6.SchemaObjectNestingModeSingle:
		return cty.ObjectWithOptionalAttrs(ty.AttributeTypes(), names)
	case tfprotov6.SchemaObjectNestingModeList:
		return cty.List(cty.ObjectWithOptionalAttrs(ty.ElementType().AttributeTypes(), names))
	case tfprotov6.SchemaObjectNestingModeMap:
		return cty.Map(cty.ObjectWithOptionalAttrs(ty.ElementType().AttributeTypes(), names))
	default:
		panic("a nesting mode that the driver does not know: " + nested.Nesting.String())
	}
}
