// Package codec converts models to and from Terraform's values.
package codec

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
)

// Codec converts between the objects of one schema and a struct M that has an attr.Value, tagged tfsdk, for each
// attribute, itself or in an embedded struct; fields tagged "-" are left alone. One struct can serve several schemas:
// an attribute may be write-only in some, with _wo behind its name, and one tagged "NAME,optional" may lack. It does
// what Get and Set of the framework do. Those look into the struct and compile a regular expression for each field in
// every call (hashicorp/terraform-plugin-framework issue 725), and in every plan of every resource that adds up. Here
// it is done once.
type Codec[M any] struct {
	fields []codecField
	Object tftypes.Type
}

type codecField struct {
	name  string
	index []int
	typ   attr.Type
}

// Nulls is an object whose attributes are all null, for Decode.
var Nulls = tftypes.NewValue(tftypes.Object{}, map[string]tftypes.Value{})

// New is the codec of a schema's type. It panics where M does not have just the schema's attributes.
func New[M any](ctx context.Context, schema attr.Type) *Codec[M] {
	var attributes map[string]attr.Type
	if object, ok := schema.(attr.TypeWithAttributeTypes); ok {
		attributes = object.AttributeTypes()
	}
	c := &Codec[M]{Object: schema.TerraformType(ctx)}
	model := reflect.TypeFor[M]()
	for _, field := range reflect.VisibleFields(model) {
		name, option, _ := strings.Cut(field.Tag.Get("tfsdk"), ",")
		if field.Anonymous || name == "-" {
			continue // the fields of an embedded struct come by themselves
		}
		typ, ok := attributes[name]
		if !ok {
			name += "_wo"
			typ, ok = attributes[name]
		}
		if !ok && option == "optional" {
			continue
		}
		if !ok || reflect.TypeOf(typ.ValueType(ctx)) != field.Type {
			panic(fmt.Sprintf("%v.%s is no attribute of the schema, or of another type", model, field.Name))
		}
		c.fields = append(c.fields, codecField{name, field.Index, typ})
	}
	if len(c.fields) != len(attributes) {
		panic(fmt.Sprintf("%v has %d of %d attributes", model, len(c.fields), len(attributes)))
	}
	return c
}

// Schema is implemented by the schemas of resources, data sources, actions and providers.
type Schema interface{ Type() attr.Type }

// Of is the codec of a schema, made when it is first needed.
func Of[M any, S Schema](schema func(context.Context) S) func() *Codec[M] {
	return sync.OnceValue(func() *Codec[M] {
		ctx := context.Background()
		return New[M](ctx, schema(ctx).Type())
	})
}

// Decode is the struct of an object that is neither null nor unknown.
func (c *Codec[M]) Decode(ctx context.Context, raw tftypes.Value) (M, diag.Diagnostics) {
	var m M
	var values map[string]tftypes.Value
	if err := raw.As(&values); err != nil {
		return m, unconvertible(path.Empty(), err, message.Report)
	}
	model := reflect.ValueOf(&m).Elem()
	for _, f := range c.fields {
		value, err := f.typ.ValueFromTerraform(ctx, values[f.name])
		if err != nil {
			return m, unconvertible(path.Root(f.name), fmt.Errorf("%s: %w", f.name, err), message.Report)
		}
		if validated, ok := f.typ.(validatedType); ok {
			if diags := validated.Validate(ctx, values[f.name], path.Root(f.name)); diags.HasError() {
				return m, diags
			}
		}
		model.FieldByIndex(f.index).Set(reflect.ValueOf(value))
	}
	return m, nil
}

// validatedType is an [attr.Type] that refuses some of the values that it converts.
type validatedType interface {
	Validate(ctx context.Context, value tftypes.Value, at path.Path) diag.Diagnostics
}

// Encode puts the object of a struct into raw, and leaves that alone where there is an error.
func (c *Codec[M]) Encode(ctx context.Context, m M, raw *tftypes.Value) diag.Diagnostics {
	values := make(map[string]tftypes.Value, len(c.fields))
	model := reflect.ValueOf(m)
	for _, f := range c.fields {
		field, ok := model.FieldByIndex(f.index).Interface().(attr.Value)
		if !ok {
			continue // New has seen that it is
		}
		value, err := field.ToTerraformValue(ctx)
		if err != nil {
			return unconvertible(path.Root(f.name), fmt.Errorf("%s: %w", f.name, err), message.Report)
		}
		values[f.name] = value
	}
	*raw = tftypes.NewValue(c.Object, values)
	return nil
}

// unconvertible is the diagnostic of a value that has not the type that the schema gives it.
func unconvertible(at path.Path, err error, next string) diag.Diagnostics {
	return diag.Diagnostics{message.UnexpectedError.At(at,
		message.Detail("A value could not be converted.", []message.Fact{{Name: "Cause", Value: err.Error()}}, next))}
}
