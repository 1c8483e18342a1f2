package configmap

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
)

// dataMaps say what keys shall hold, and what they must hold before.
type dataMaps struct {
	Data               types.Map `tfsdk:"data"`
	BinaryData         types.Map `tfsdk:"binary_data"`
	ExpectedData       types.Map `tfsdk:"expected_data"`
	ExpectedBinaryData types.Map `tfsdk:"expected_binary_data"`
}

// keys gives the keys of data and binary_data.
func (m *dataMaps) keys() []string { return keysIn(m.Data, m.BinaryData) }

// values are what keys shall hold, expected what they must hold before.
func (m *dataMaps) values() map[string]cas.Entry {
	return adapter.EntriesFrom(cas.ConfigMap, m.Data, m.BinaryData)
}

func (m *dataMaps) expected() map[string]cas.Entry {
	return adapter.EntriesFrom(cas.ConfigMap, m.ExpectedData, m.ExpectedBinaryData)
}

// describe says to a subject where the maps say something about a key, and what they hold.
func (m *dataMaps) describe(s *diagnose.Subject) {
	s.Value, s.Keys = path.Root("data"), map[string]diagnose.KeyPaths{}
	if len(m.Data.Elements()) == 0 {
		s.Value = path.Root("binary_data")
	}
	for value, expected := range map[string]string{"data": "expected_data", "binary_data": "expected_binary_data"} {
		for key := range map[string]types.Map{"data": m.Data, "binary_data": m.BinaryData}[value].Elements() {
			s.Keys[key] = diagnose.KeyPaths{Value: path.Root(value).AtMapKey(key), Expected: path.Root(expected).AtMapKey(key)}
		}
	}
	wants := m.expected()
	for expected, of := range map[string]types.Map{"expected_data": m.ExpectedData, "expected_binary_data": m.ExpectedBinaryData} {
		for key := range of.Elements() {
			s.Keys[key] = diagnose.KeyPaths{Value: s.Keys[key].Value, Expected: path.Root(expected).AtMapKey(key), Want: new(wants[key])}
		}
	}
	for _, e := range m.values() {
		s.Values = append(s.Values, e)
	}
}

// validate refuses keys that are in both maps of a kind, and values that are too large together.
func (m *dataMaps) validate() (diags diag.Diagnostics) {
	for _, key := range inBoth(m.Data, m.BinaryData) {
		diags.Append(diagnose.TitleKeyInBothMaps.Problem(path.Root("binary_data").AtMapKey(key), "the key must not be in data as well"))
	}
	for _, key := range inBoth(m.ExpectedData, m.ExpectedBinaryData) {
		diags.Append(diagnose.TitleKeyInBothMaps.Problem(path.Root("expected_binary_data").AtMapKey(key),
			"the key must not be in expected_data as well"))
	}

	size, largest, attribute := 0, cas.Entry{}, path.Empty()
	null := types.MapNull(types.StringType)
	for name, of := range map[string]map[string]cas.Entry{
		"data": adapter.EntriesFrom(cas.ConfigMap, m.Data, null), "binary_data": adapter.EntriesFrom(cas.ConfigMap, null, m.BinaryData),
	} {
		for key, e := range of {
			size += e.Size()
			if at := path.Root(name).AtMapKey(key); e.Size() > largest.Size() || e.Size() == largest.Size() && at.String() < attribute.String() {
				largest, attribute = e, at
			}
		}
	}
	if size > cas.MaxSize && largest.Size() <= cas.MaxSize { // the schema refuses a larger one
		diags.Append(diagnose.TitleValuesTooLarge.Problem(attribute, fmt.Sprintf(
			"the values must have at most %d bytes together, not %d; this is the largest, with %d", cas.MaxSize, size, largest.Size())))
	}
	return diags
}

// inBoth gives the keys that both maps name.
func inBoth(a, b types.Map) (keys []string) {
	of := b.Elements()
	for _, key := range keysIn(a) {
		if _, both := of[key]; both {
			keys = append(keys, key)
		}
	}
	return keys
}

// keysIn gives the keys that the maps name, sorted. The maps must be known; what they hold need not be.
func keysIn(of ...types.Map) (keys []string) {
	for _, m := range of {
		keys = slices.AppendSeq(keys, maps.Keys(m.Elements()))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
