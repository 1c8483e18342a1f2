package keys

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/resource"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Maps has the new values of keys, and the expected values before the write.
type Maps struct {
	Data               types.Map `tfsdk:"data"`
	BinaryData         types.Map `tfsdk:"binary_data"`
	ExpectedData       types.Map `tfsdk:"expected_data"`
	ExpectedBinaryData types.Map `tfsdk:"expected_binary_data"`
}

// names returns the keys of data and binary_data, sorted. The maps must be known, but not their values.
func (m *Maps) names() []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(m.Data.Elements())), maps.Keys(m.BinaryData.Elements()))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Values returns the new values of keys.
func (m *Maps) Values(kind eval.Kind) map[string]eval.Value {
	return resource.EntriesFrom(kind, m.Data, m.BinaryData)
}

// Expected returns the expected values of keys.
func (m *Maps) Expected(kind eval.Kind) map[string]eval.Value {
	return resource.EntriesFrom(kind, m.ExpectedData, m.ExpectedBinaryData)
}

// Describe adds to a subject the attribute paths of each key, and the expected value.
func (m *Maps) Describe(s *message.Subject, kind eval.Kind) {
	s.Value, s.Keys = attributeOf(kind, "data"), map[string]message.KeyPaths{}
	if len(m.Data.Elements()) == 0 {
		s.Value = attributeOf(kind, "binary_data")
	}
	for name, values := range map[string]types.Map{"data": m.Data, "binary_data": m.BinaryData} {
		for key := range values.Elements() {
			s.Keys[key] = message.KeyPaths{
				Value:    attributeOf(kind, name).AtMapKey(key),
				Expected: attributeOf(kind, "expected_"+name).AtMapKey(key),
			}
		}
	}
	wants := m.Expected(kind)
	expected := map[string]types.Map{"expected_data": m.ExpectedData, "expected_binary_data": m.ExpectedBinaryData}
	for name, values := range expected {
		for key := range values.Elements() {
			s.Keys[key] = message.KeyPaths{
				Value:    s.Keys[key].Value,
				Expected: attributeOf(kind, name).AtMapKey(key),
				Want:     new(wants[key]),
			}
		}
	}
}

// Check checks the maps, alone and together. The schema of a ConfigMap has checked each value by itself. mayRemove says
// that null removes a key; otherwise Check refuses null.
func (m *Maps) Check(kind eval.Kind, mayRemove bool) (diags diag.Diagnostics) {
	size, largest, where := 0, eval.Value{}, path.Empty()
	for _, each := range []struct {
		values, texts types.Map // texts has the other keys, for a map of base64
		name, beside  string
		writes        bool
	}{
		{m.Data, types.Map{}, "data", "", true},
		{m.BinaryData, m.Data, "binary_data", "data", true},
		{m.ExpectedData, types.Map{}, "expected_data", "", false},
		{m.ExpectedBinaryData, m.ExpectedData, "expected_binary_data", "expected_data", false},
	} {
		for _, key := range slices.Sorted(maps.Keys(each.values.Elements())) {
			at, v := attributeOf(kind, each.name).AtMapKey(key), resource.StringOf(each.values.Elements()[key])
			text, base64 := v, types.StringNull()
			if each.beside != "" {
				text, base64 = base64, v
			}
			_, isText := each.texts.Elements()[key]
			title, problem := sealedProblem(text, base64)
			switch problems := terms.KeyProblems(key); {
			case kind == eval.Secret && len(problems) > 0:
				diags.Append(fault(kind, message.InvalidConfigMapKey.Of(kind), at, problems[0]))
			case each.writes && v.IsNull() && !mayRemove:
				diags.Append(fault(kind, message.MissingValue, at, "must not be null; to remove the key, leave it out"))
			case isText:
				diags.Append(fault(kind, message.KeyInBothMaps, at,
					fmt.Sprintf("the key must not be in %s as well", attributeOf(kind, each.beside))))
			case kind == eval.Secret && problem != "":
				diags.Append(fault(kind, title, at, problem))
			}
			if !each.writes {
				continue
			}
			e := resource.EntryFrom(kind, text, base64)
			size += e.Size()
			isFirst := e.Size() == largest.Size() && at.String() < where.String()
			if e.Size() > largest.Size() || isFirst {
				largest, where = e, at
			}
		}
	}
	switch {
	case size <= eval.MaxSize:
	case kind == eval.Secret && len(diags) == 0:
		diags.Append(fault(kind, message.ValuesTooLarge, attributeOf(kind, "data"),
			fmt.Sprintf("all values together must have at most %d bytes", eval.MaxSize)))
	case kind != eval.Secret && largest.Size() <= eval.MaxSize: // the schema refuses a larger one
		diags.Append(fault(kind, message.ValuesTooLarge, where, fmt.Sprintf(
			"the values must have at most %d bytes together, not %d; this is the largest, with %d",
			eval.MaxSize, size, largest.Size())))
	}
	return diags
}

// attributeOf returns the path of an attribute with values, which is write-only in the schema of a Secret.
func attributeOf(kind eval.Kind, name string) path.Path {
	if kind == eval.Secret {
		name += "_wo"
	}
	return path.Root(name)
}

// fault returns an error about one of the maps.
func fault(kind eval.Kind, title *message.Row, at path.Path, problem string) diag.Diagnostic {
	if kind == eval.Secret {
		return sealedFault(title, "data_wo_version", at.String(), problem)
	}
	return title.Problem(at, problem)
}

// sealedFault returns an error about a write-only attribute. It points at another attribute, because Terraform prints
// the line that an error points at, which may have the value.
func sealedFault(title *message.Row, at, attribute, problem string) diag.Diagnostic {
	return title.At(path.Root(at), fmt.Sprintf("Attribute %s: %s.", attribute, problem))
}

// notGenerated explains why a write-only value is missing in a configuration that Terraform generated for an import.
const notGenerated = "; no state has the value, so a generated configuration lacks it"

// sealedProblem describes the problem of a value without its length. It is empty for a valid or unknown value.
func sealedProblem(textual, encoded types.String) (title *message.Row, problem string) {
	b := []byte(textual.ValueString())
	if !encoded.IsNull() && !encoded.IsUnknown() {
		if b, problem = attributes.DecodeBase64(encoded.ValueString()); problem != "" {
			return message.InvalidBase64, problem
		}
	}
	if len(b) > eval.MaxSize {
		return message.ValueTooLarge, fmt.Sprintf("all values of a Secret must have at most %d bytes together", eval.MaxSize)
	}
	return nil, ""
}
