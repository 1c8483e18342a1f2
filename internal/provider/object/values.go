package object

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/resource"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// The resource, the action and the data source share these attributes, as those of ConfigMaps and Secrets share
// [resource.Named] and [resource.Maps].

// root has the attributes that name the place where paths begin: an object of a kind in a version of its API, or the
// document in a key of a ConfigMap.
type root struct {
	APIVersion types.String `tfsdk:"api_version,optional"`
	ObjectKind types.String `tfsdk:"kind,optional"`
	Key        types.String `tfsdk:"key,optional"`
	Format     types.String `tfsdk:"format,optional"`
}

// isDocument reports whether paths begin in a document.
func (r *root) isDocument() bool { return !r.Format.IsNull() }

func (r *root) kind() eval.Kind {
	if r.isDocument() {
		return eval.ConfigMap
	}
	return terms.KindOf(r.APIVersion.ValueString(), r.ObjectKind.ValueString())
}

// apiVersion returns the version of the API in which the object is read.
func (r *root) apiVersion() string {
	if r.isDocument() {
		return "v1"
	}
	return r.APIVersion.ValueString()
}

// ref names the object.
func (r *root) ref(of resource.Named) eval.Ref {
	return eval.Ref{Kind: r.kind(), Namespace: of.Namespace.ValueString(), Name: of.Name.ValueString()}
}

// places returns the attributes that name the place. Those that a schema does not have are null.
func (r *root) places(of resource.Named) []types.String {
	return []types.String{r.APIVersion, r.ObjectKind, r.Key, r.Format, of.Namespace, of.Name}
}

// keyOf returns the key of a path that is written, and keyRead the key of a path that is only read.
func (r *root) keyOf(path string) (string, error) {
	if r.isDocument() {
		return eval.DocumentKey(eval.Holder{Key: r.Key.ValueString(), Format: r.Format.ValueString()}, path)
	}
	return eval.FieldKey(r.kind(), path)
}

func (r *root) keyRead(path string) (string, error) {
	if r.isDocument() {
		return r.keyOf(path)
	}
	return eval.ReadKey(r.kind(), path)
}

// fieldMaps has the values to write to fields, and the values that fields must have before the write.
type fieldMaps struct {
	root

	Fields         types.Dynamic `tfsdk:"fields"`
	ExpectedFields types.Dynamic `tfsdk:"expected_fields"`
}

// fields returns the values to write, and expected the values that fields must have before the write.
func (m *fieldMaps) fields() (fieldSet, diag.Diagnostics) {
	return read("fields", m.Fields, m.keyOf)
}

func (m *fieldMaps) expected() (fieldSet, diag.Diagnostics) {
	return read("expected_fields", m.ExpectedFields, m.keyRead)
}

// check says what is wrong with the maps, alone and together.
func (m *fieldMaps) check() diag.Diagnostics {
	fields, diags := m.fields()
	expected, more := m.expected()
	diags.Append(more...)
	for key, e := range fields.entries {
		if err := eval.CanSet(key, e); err != nil && fields.isKnown {
			diags.Append(message.InvalidFieldValue.Problem(fields.at(key), err.Error()))
		}
		for guard := range expected.entries {
			if guard != key && eval.Overlap(guard, key) {
				diags.Append(message.FieldNamedTwice.Problem(expected.at(guard), fmt.Sprintf(
					"it names a part of %q in fields, or the reverse: expect the same field", fields.spelled[key])))
			}
		}
	}
	return diags
}

// describe says to a subject where attributes say something about a field, and what they hold.
func describe(s *message.Subject, apiVersion string, fields, expected fieldSet) {
	s.APIVersion, s.Value, s.Keys, s.Texts = apiVersion, path.Root("fields"), map[string]message.KeyPaths{},
		map[string]string{}
	for key, e := range fields.entries {
		s.Keys[key] = message.KeyPaths{Value: fields.at(key), Expected: expected.at(key)}
		if text, isText := e.Text(); isText {
			s.Texts[key] = text
		}
	}
	for key, e := range expected.entries {
		s.Keys[key] = message.KeyPaths{Value: s.Keys[key].Value, Expected: expected.at(key), Want: new(e)}
	}
}

// A dynamic attribute gives fields their values: an object or a map of any JSON values, by path. A dynamic value can
// stand in no map of the framework's, and types that differ as a list and a tuple do are the same here.

// fieldSet is such an attribute.
type fieldSet struct {
	attribute string
	entries   map[string]eval.Value    // by key; the absent Entry for null and for what is not known yet
	values    map[string]tftypes.Value // as the attribute has them, by key
	spelled   map[string]string        // the path as the attribute has it, by key
	isNamed   bool                     // it is known which fields it names
	isKnown   bool                     // all of it is known
}

// read reads an attribute, null or not. keyOf returns the key of a path.
func read(
	attribute string, from types.Dynamic, keyOf func(path string) (string, error),
) (s fieldSet, diags diag.Diagnostics) {
	s = fieldSet{
		attribute: attribute, entries: map[string]eval.Value{}, spelled: map[string]string{}, isNamed: true,
		isKnown: true,
	}
	s.values = map[string]tftypes.Value{}
	raw, err := from.ToTerraformValue(context.Background())
	var all map[string]tftypes.Value
	switch of := raw.Type(); {
	case err != nil || !of.Is(tftypes.Object{}) && !of.Is(tftypes.Map{}) && !of.Is(tftypes.DynamicPseudoType):
		diags.Append(message.InvalidFieldValue.Problem(path.Root(attribute),
			"must be an object of values by path, such as { \"spec.replicas\" = 3 }"))
	case raw.As(&all) != nil: // it is not known
		s.isNamed = false
	}
	s.isKnown = s.isNamed
	for _, spelling := range slices.Sorted(maps.Keys(all)) {
		at := path.Root(attribute).AtMapKey(spelling)
		key, err := keyOf(spelling)
		if err != nil {
			diags.Append(message.InvalidFieldPath.Problem(at, err.Error()))
			continue
		}
		for other := range s.entries {
			if eval.Overlap(key, other) {
				diags.Append(message.FieldNamedTwice.Problem(at,
					fmt.Sprintf("it names what %q names, or a part of it: leave one of the two out", s.spelled[other])))
			}
		}
		value := all[spelling]
		s.entries[key], s.values[key], s.spelled[key] = eval.Value{}, value, spelling
		s.isKnown = s.isKnown && value.IsFullyKnown()
		if value.IsFullyKnown() && !value.IsNull() {
			s.entries[key], err = entryOf(value)
		}
		if err != nil {
			diags.Append(message.InvalidFieldValue.Problem(at, err.Error()))
		}
	}
	return s, diags
}

// at is where the attribute has a key, or could have it.
func (s *fieldSet) at(key string) path.Path {
	return path.Root(s.attribute).AtMapKey(s.spelling(key))
}

// spelling is the path of a key, as the attribute has it where it does.
func (s *fieldSet) spelling(key string) string {
	if spelling, isThere := s.spelled[key]; isThere {
		return spelling
	}
	name, _ := message.NameOf(key)
	return name
}

// isSame reports whether two attributes say the same, however they spell paths and whatever types their lists have.
func (s *fieldSet) isSame(other fieldSet) bool {
	return s.isKnown && other.isKnown && maps.Equal(s.entries, other.entries)
}

// attributeOf returns an attribute with these entries, spelled as the set has them. It is null if there are none.
func (s *fieldSet) attributeOf(entries map[string]eval.Value) types.Dynamic {
	if len(entries) == 0 {
		return types.DynamicNull()
	}
	values := map[string]tftypes.Value{}
	for key, e := range entries {
		values[s.spelling(key)] = valueOf(e)
	}
	return dynamicOf(values)
}

// dynamicOf returns an attribute with these values, by path.
func dynamicOf(values map[string]tftypes.Value) types.Dynamic {
	v, err := types.DynamicType.ValueFromTerraform(context.Background(), resource.ObjectOf(values))
	if attribute, isDynamic := v.(types.Dynamic); err == nil && isDynamic { // always
		return attribute
	}
	return types.DynamicNull()
}

// entryOf is the entry of a value that is known.
func entryOf(v tftypes.Value) (eval.Value, error) {
	raw, err := json.Marshal(plain(v))
	if err != nil {
		return eval.Value{}, err
	}
	return eval.JSON(raw)
}

// plain is a known value as encoding/json takes it.
func plain(v tftypes.Value) any {
	var (
		text     string
		isTrue   bool
		number   big.Float
		elements []tftypes.Value
		members  map[string]tftypes.Value
	)
	switch {
	case v.IsNull():
		return nil
	case v.As(&text) == nil:
		return text
	case v.As(&isTrue) == nil:
		return isTrue
	case v.As(&number) == nil && number.IsInt():
		return json.Number(number.Text('f', 0))
	case v.As(&number) == nil:
		return json.Number(number.Text('g', -1))
	case v.As(&elements) == nil:
		all := make([]any, len(elements))
		for i, e := range elements {
			all[i] = plain(e)
		}
		return all
	}
	_ = v.As(&members) // there is nothing else
	all := map[string]any{}
	for name, member := range members {
		all[name] = plain(member)
	}
	return all
}

// valueOf returns the value of an entry.
func valueOf(e eval.Value) tftypes.Value { return typed(message.Decoded(e)) }

// precision is that of Terraform's numbers.
const precision = 512

func typed(v any) tftypes.Value {
	switch v := v.(type) {
	case string:
		return tftypes.NewValue(tftypes.String, v)
	case bool:
		return tftypes.NewValue(tftypes.Bool, v)
	case json.Number:
		n, _, err := big.ParseFloat(v.String(), 10, precision, big.ToNearestEven)
		if err != nil {
			return tftypes.NewValue(tftypes.String, v.String())
		}
		return tftypes.NewValue(tftypes.Number, n)
	case map[string]any:
		members := map[string]tftypes.Value{}
		for name, member := range v {
			members[name] = typed(member)
		}
		return resource.ObjectOf(members)
	case []any:
		values, of := make([]tftypes.Value, len(v)), make([]tftypes.Type, len(v))
		for i := range v {
			values[i] = typed(v[i])
			of[i] = values[i].Type()
		}
		return tftypes.NewValue(tftypes.Tuple{ElementTypes: of}, values)
	default:
		return tftypes.NewValue(tftypes.DynamicPseudoType, nil)
	}
}
