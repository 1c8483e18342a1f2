package provider

import (
	"context"
	"fmt"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// codec converts between the objects of one schema and a struct M that has an attr.Value, tagged tfsdk, for each attribute. It
// does what Get and Set of the framework do, which look into the struct and check its tags anew in every call, and in every
// plan of every resource that adds up. Here it is done once.
type codec[M any] struct {
	fields []codecField
	object tftypes.Type
}

type codecField struct {
	name  string
	index int
	typ   attr.Type
}

// newCodec is the codec of a schema's type. It panics where M does not have just the schema's attributes.
func newCodec[M any](ctx context.Context, schema attr.Type) *codec[M] {
	var attributes map[string]attr.Type
	if object, ok := schema.(attr.TypeWithAttributeTypes); ok {
		attributes = object.AttributeTypes()
	}
	c := &codec[M]{object: schema.TerraformType(ctx)}
	model := reflect.TypeFor[M]()
	for i := range model.NumField() {
		name := model.Field(i).Tag.Get("tfsdk")
		typ, ok := attributes[name]
		if !ok || reflect.TypeOf(typ.ValueType(ctx)) != model.Field(i).Type {
			panic(fmt.Sprintf("%v.%s is no attribute of the schema, or of another type", model, model.Field(i).Name))
		}
		c.fields = append(c.fields, codecField{name, i, typ})
	}
	if len(c.fields) != len(attributes) {
		panic(fmt.Sprintf("%v has %d of %d attributes", model, len(c.fields), len(attributes)))
	}
	return c
}

// decode is the struct of an object that is neither null nor unknown.
func (c *codec[M]) decode(ctx context.Context, raw tftypes.Value) (M, diag.Diagnostics) {
	var m M
	var values map[string]tftypes.Value
	if err := raw.As(&values); err != nil {
		return m, unconvertible(err)
	}
	model := reflect.ValueOf(&m).Elem()
	for _, f := range c.fields {
		value, err := f.typ.ValueFromTerraform(ctx, values[f.name])
		if err != nil {
			return m, unconvertible(fmt.Errorf("%s: %w", f.name, err))
		}
		model.Field(f.index).Set(reflect.ValueOf(value))
	}
	return m, nil
}

// encode puts the object of a struct into raw, and leaves that alone where there is an error.
func (c *codec[M]) encode(ctx context.Context, m M, raw *tftypes.Value) diag.Diagnostics {
	values := make(map[string]tftypes.Value, len(c.fields))
	model := reflect.ValueOf(m)
	for _, f := range c.fields {
		field, ok := model.Field(f.index).Interface().(attr.Value)
		if !ok {
			continue // newCodec has seen that it is
		}
		value, err := field.ToTerraformValue(ctx)
		if err != nil {
			return unconvertible(fmt.Errorf("%s: %w", f.name, err))
		}
		values[f.name] = value
	}
	*raw = tftypes.NewValue(c.object, values)
	return nil
}

func unconvertible(err error) diag.Diagnostics {
	return diag.Diagnostics{titleValueConversionError.with(
		"A value could not be converted. This is a defect of the provider; please report it.\n\nCause: " + err.Error())}
}
