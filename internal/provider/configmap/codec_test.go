package configmap

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
)

// entryStates are states of which all attributes are of one kind, made by the framework's own means.
func entryStates(tb testing.TB) map[string]tfsdk.State {
	tb.Helper()
	var resp resource.SchemaResponse
	NewEntry().Schema(context.Background(), resource.SchemaRequest{}, &resp)
	object, ok := resp.Schema.Type().TerraformType(context.Background()).(tftypes.Object)
	if !ok {
		tb.Fatal("the schema is no object")
	}
	value := func(t tftypes.Type, name string) any {
		switch {
		case t.Is(tftypes.Bool):
			return true
		case t.Is(tftypes.String):
			return "of " + name
		}
		timeouts := map[string]tftypes.Value{}
		for _, each := range []string{"create", "read", "update", "delete"} {
			timeouts[each] = tftypes.NewValue(tftypes.String, "1m")
		}
		return timeouts
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
		states[kind] = tfsdk.State{Schema: resp.Schema, Raw: tftypes.NewValue(object, values)}
	}
	return states
}

func TestCodecDoesAsTheFramework(t *testing.T) {
	t.Parallel()
	for kind, state := range entryStates(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			var want entryModel
			if diags := state.Get(t.Context(), &want); diags.HasError() {
				t.Fatal(problems(diags))
			}
			got, diags := entryType.Codec().Decode(t.Context(), state.Raw)
			if diags.HasError() {
				t.Fatal(problems(diags))
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(entryModel{}, adapter.KeysAttributes{})); diff != "" {
				t.Error(diff)
			}
			var raw tftypes.Value
			if diags := entryType.Codec().Encode(t.Context(), got, &raw); diags.HasError() {
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

func codecOf[M any](schema attr.Type) { codec.New[M](context.Background(), schema) }

func TestCodecRefusesWhatIsNoObject(t *testing.T) {
	t.Parallel()
	_, diags := entryType.Codec().Decode(t.Context(), tftypes.NewValue(tftypes.String, "x"))
	want := []problem{{Summary: "Unexpected Error", Detail: "A value could not be converted.\n\n  Cause:  can't unmarshal " +
		"tftypes.String into *map[string]tftypes.Value, expected map[string]tftypes.Value\n\n" +
		"Report this as a defect of the provider, with the log of this run (TF_LOG_PROVIDER=DEBUG)."}}
	if diff := cmp.Diff(want, problems(diags)); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkDecode(b *testing.B) {
	state := entryStates(b)["known"]
	b.Run("framework", func(b *testing.B) {
		for b.Loop() {
			var m entryModel
			if diags := state.Get(b.Context(), &m); diags.HasError() {
				b.Fatal(fmt.Sprint(diags))
			}
		}
	})
	b.Run("codec", func(b *testing.B) {
		for b.Loop() {
			if _, diags := entryType.Codec().Decode(b.Context(), state.Raw); diags.HasError() {
				b.Fatal(fmt.Sprint(diags))
			}
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	state := entryStates(b)["known"]
	m, _ := entryType.Codec().Decode(b.Context(), state.Raw)
	b.Run("framework", func(b *testing.B) {
		for b.Loop() {
			if diags := state.Set(b.Context(), &m); diags.HasError() {
				b.Fatal(fmt.Sprint(diags))
			}
		}
	})
	b.Run("codec", func(b *testing.B) {
		for b.Loop() {
			if diags := entryType.Codec().Encode(b.Context(), m, &state.Raw); diags.HasError() {
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
