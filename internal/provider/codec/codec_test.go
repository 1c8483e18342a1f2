package codec_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
)

// named is the part that models share.
type named struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
}

// model has attributes of its own and those of an embedded struct, and a field that is no attribute.
type model struct {
	named

	Value    types.String   `tfsdk:"value"`
	Adopt    types.Bool     `tfsdk:"adopt"`
	Data     types.Map      `tfsdk:"data"`
	Timeouts timeouts.Value `tfsdk:"timeouts"`
	Left     string         `tfsdk:"-"`
}

func modelSchema(ctx context.Context) schema.Schema {
	return schema.Schema{Attributes: map[string]schema.Attribute{
		"namespace": schema.StringAttribute{Optional: true},
		"name":      schema.StringAttribute{Required: true},
		"value":     schema.StringAttribute{Optional: true},
		"adopt":     schema.BoolAttribute{Optional: true},
		"data":      schema.MapAttribute{Optional: true, ElementType: types.StringType},
		"timeouts":  timeouts.Attributes(ctx, timeouts.Opts{Create: true, Read: true}),
	}}
}

var codecOfModel = codec.Of[model](modelSchema)

// modelStates returns states that the framework made. All attributes of a state are of one kind.
func modelStates(tb testing.TB) map[string]tfsdk.State {
	tb.Helper()
	of := modelSchema(tb.Context())
	object, ok := of.Type().TerraformType(tb.Context()).(tftypes.Object)
	if !ok {
		tb.Fatal("the schema is no object")
	}
	value := func(t tftypes.Type, name string) any {
		switch {
		case t.Is(tftypes.Bool):
			return true
		case t.Is(tftypes.String):
			return "of " + name
		case t.Is(tftypes.Map{ElementType: tftypes.String}):
			return map[string]tftypes.Value{"foo": tftypes.NewValue(tftypes.String, "1"), "bar": tftypes.NewValue(tftypes.String, nil)}
		}
		return map[string]tftypes.Value{"create": tftypes.NewValue(tftypes.String, "1m"), "read": tftypes.NewValue(tftypes.String, "2m")}
	}
	states := map[string]tfsdk.State{}
	for kind, of := range map[string]func(tftypes.Type, string) any{
		"null":    func(tftypes.Type, string) any { return nil },
		"unknown": func(tftypes.Type, string) any { return tftypes.UnknownValue },
		"known":   value,
	} {
		values := map[string]tftypes.Value{}
		for name, t := range object.AttributeTypes {
			values[name] = tftypes.NewValue(t, of(t, name))
		}
		states[kind] = tfsdk.State{Schema: modelSchema(tb.Context()), Raw: tftypes.NewValue(object, values)}
	}
	return states
}

func TestCodecDoesAsTheFramework(t *testing.T) {
	t.Parallel()
	for kind, state := range modelStates(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			var want model
			if diags := state.Get(t.Context(), &want); diags.HasError() {
				t.Fatal(problems(diags))
			}
			got, diags := codecOfModel().Decode(t.Context(), state.Raw)
			if diags.HasError() {
				t.Fatal(problems(diags))
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(model{})); diff != "" {
				t.Error(diff)
			}
			var raw tftypes.Value
			if diags := codecOfModel().Encode(t.Context(), got, &raw); diags.HasError() {
				t.Fatal(problems(diags))
			}
			if !raw.Equal(state.Raw) {
				t.Errorf("encoded %v, want %v", raw, state.Raw)
			}
		})
	}
}

func TestCodecWantsJustTheAttributesOfTheSchema(t *testing.T) {
	t.Parallel()
	schema := types.ObjectType{AttrTypes: map[string]attr.Type{"name": types.StringType, "key": types.StringType}}
	for name, test := range map[string]struct {
		codecOf func(schema attr.Type)
		says    string
	}{
		"one too few": {codecOf[struct {
			Name types.String `tfsdk:"name"`
		}], "has 1 of 2 attributes"},
		"another name": {codecOf[struct {
			Name types.String `tfsdk:"name"`
			Kind types.String `tfsdk:"kind"`
		}], ".Kind is no attribute of the schema, or of another type"},
		"another type": {codecOf[struct {
			Name types.String `tfsdk:"name"`
			Key  types.Bool   `tfsdk:"key"`
		}], ".Key is no attribute of the schema, or of another type"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if said := fmt.Sprint(recover()); !strings.HasSuffix(said, test.says) {
					t.Errorf("%s, want it to end with %q", said, test.says)
				}
			}()
			test.codecOf(schema)
		})
	}
}

// Given schemas that differ in whether an attribute is write-only and in whether there is an optional one; then one model serves both.
func TestCodecOfSchemasThatDiffer(t *testing.T) {
	t.Parallel()
	type both struct {
		Value types.String `tfsdk:"value"`
		Hide  types.Bool   `tfsdk:"hide,optional"`
	}
	for _, test := range []struct {
		schema types.ObjectType
		values map[string]tftypes.Value
		want   both
	}{
		{
			types.ObjectType{AttrTypes: map[string]attr.Type{"value": types.StringType, "hide": types.BoolType}},
			map[string]tftypes.Value{"value": tftypes.NewValue(tftypes.String, "1"), "hide": tftypes.NewValue(tftypes.Bool, true)},
			both{types.StringValue("1"), types.BoolValue(true)},
		},
		{
			types.ObjectType{AttrTypes: map[string]attr.Type{"value_wo": types.StringType}},
			map[string]tftypes.Value{"value_wo": tftypes.NewValue(tftypes.String, "1")},
			both{types.StringValue("1"), types.BoolNull()},
		},
	} {
		c, raw := codec.New[both](t.Context(), test.schema), tftypes.NewValue(test.schema.TerraformType(t.Context()), test.values)
		got, diags := c.Decode(t.Context(), raw)
		if diff := cmp.Diff(test.want, got); diff != "" || diags.HasError() {
			t.Errorf("%v; (-want +got):\n%s", diags, diff)
		}
		var encoded tftypes.Value
		if diags := c.Encode(t.Context(), got, &encoded); diags.HasError() || !encoded.Equal(raw) {
			t.Errorf("%v; encoded %v, want %v", diags, encoded, raw)
		}
	}
}

func codecOf[M any](schema attr.Type) { codec.New[M](context.Background(), schema) }

// unconvertible returns the problem of a value whose type is not the type in the schema.
func unconvertible(cause string) []problem {
	return []problem{{Summary: "Unexpected Error", Detail: "A value could not be converted.\n\n  Cause:  " + cause + "\n\n" +
		"Report this as a defect of the provider, with the log of this run (TF_LOG_PROVIDER=DEBUG)."}}
}

func TestCodecRefusesWhatIsNoObject(t *testing.T) {
	t.Parallel()
	_, diags := codecOfModel().Decode(t.Context(), tftypes.NewValue(tftypes.String, "x"))
	want := unconvertible("can't unmarshal tftypes.String into *map[string]tftypes.Value, expected map[string]tftypes.Value")
	if diff := cmp.Diff(want, problems(diags)); diff != "" {
		t.Error(diff)
	}
}

// A number that is not whole is refused with the path of the attribute.
func TestCodecNamesTheAttributeThatCannotBeDecoded(t *testing.T) {
	t.Parallel()
	c := codec.New[struct {
		Step types.Int64 `tfsdk:"step"`
	}](t.Context(), types.ObjectType{AttrTypes: map[string]attr.Type{"step": types.Int64Type}})
	raw := tftypes.NewValue(tftypes.Object{AttributeTypes: map[string]tftypes.Type{"step": tftypes.Number}}, map[string]tftypes.Value{
		"step": tftypes.NewValue(tftypes.Number, 1.5),
	})
	_, diags := c.Decode(t.Context(), raw)
	if len(diags) != 1 {
		t.Fatalf("%v, want one problem", diags)
	}
	if at, ok := diags[0].(diag.DiagnosticWithPath); !ok || at.Path().String() != "step" {
		t.Errorf("%v, want the path step", diags)
	}
}

// Given an object that has no value for any attribute; when it is decoded; then all of them are null.
func TestCodecDecodesNullsAsNull(t *testing.T) {
	t.Parallel()
	got, diags := codecOfModel().Decode(t.Context(), codec.Nulls)
	if diags.HasError() {
		t.Fatal(problems(diags))
	}
	for name, v := range map[string]attr.Value{
		"namespace": got.Namespace, "name": got.Name, "value": got.Value, "adopt": got.Adopt, "data": got.Data, "timeouts": got.Timeouts,
	} {
		if !v.IsNull() {
			t.Errorf("%s is %v, want null", name, v)
		}
	}
}

// stuckType is the type of stuck, a text that cannot be converted.
type (
	stuckType struct{ basetypes.StringType }
	stuck     struct{ basetypes.StringValue }
)

func (stuckType) ValueType(context.Context) attr.Value { return stuck{} }

func (stuck) ToTerraformValue(context.Context) (tftypes.Value, error) {
	return tftypes.Value{}, errors.New("stuck")
}

// Given a value that cannot be converted; when its model is encoded; then the error names the attribute, and the object stays what it was.
func TestCodecLeavesAloneWhatItCannotEncode(t *testing.T) {
	t.Parallel()
	type stuckModel struct {
		Key stuck `tfsdk:"key"`
	}
	c := codec.New[stuckModel](t.Context(), types.ObjectType{AttrTypes: map[string]attr.Type{"key": stuckType{}}})
	was := tftypes.NewValue(tftypes.String, "as it was")
	raw := was.Copy()
	diags := c.Encode(t.Context(), stuckModel{}, &raw)
	if diff := cmp.Diff(unconvertible("key: stuck"), problems(diags)); diff != "" {
		t.Error(diff)
	}
	if !raw.Equal(was) {
		t.Errorf("the object is %v, want %v", raw, was)
	}
}

func BenchmarkDecode(b *testing.B) {
	state := modelStates(b)["known"]
	b.Run("framework", func(b *testing.B) {
		for b.Loop() {
			var m model
			if diags := state.Get(b.Context(), &m); diags.HasError() {
				b.Fatal(fmt.Sprint(diags))
			}
		}
	})
	b.Run("codec", func(b *testing.B) {
		for b.Loop() {
			if _, diags := codecOfModel().Decode(b.Context(), state.Raw); diags.HasError() {
				b.Fatal(fmt.Sprint(diags))
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	state := modelStates(b)["known"]
	m, _ := codecOfModel().Decode(b.Context(), state.Raw)
	b.Run("framework", func(b *testing.B) {
		for b.Loop() {
			if diags := state.Set(b.Context(), &m); diags.HasError() {
				b.Fatal(fmt.Sprint(diags))
			}
		}
	})
	b.Run("codec", func(b *testing.B) {
		for b.Loop() {
			if diags := codecOfModel().Encode(b.Context(), m, &state.Raw); diags.HasError() {
				b.Fatal(fmt.Sprint(diags))
			}
		}
	})
}

// problem is a diagnostic in comparable form.
type problem struct{ Summary, Detail string }

func problems(diags diag.Diagnostics) []problem {
	var found []problem
	for _, d := range diags {
		found = append(found, problem{d.Summary(), d.Detail()})
	}
	return found
}
