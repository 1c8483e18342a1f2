package resource

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Maps has the new values of keys, and the expected values before the write.
type Maps struct {
	Data               types.Map `tfsdk:"data"`
	BinaryData         types.Map `tfsdk:"binary_data"`
	ExpectedData       types.Map `tfsdk:"expected_data"`
	ExpectedBinaryData types.Map `tfsdk:"expected_binary_data"`
}

// names gives the keys of data and binary_data, sorted. The maps must be known; what they hold need not be.
func (m *Maps) names() []string {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(m.Data.Elements())), maps.Keys(m.BinaryData.Elements()))
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Values returns the new values of keys.
func (m *Maps) Values(kind eval.Kind) map[string]eval.Value {
	return EntriesFrom(kind, m.Data, m.BinaryData)
}

// Expected returns the expected values of keys.
func (m *Maps) Expected(kind eval.Kind) map[string]eval.Value {
	return EntriesFrom(kind, m.ExpectedData, m.ExpectedBinaryData)
}

// Describe says to a subject where the maps say something about a key, and what they hold.
func (m *Maps) Describe(s *diagnose.Subject, kind eval.Kind) {
	s.Value, s.Keys = attributeOf(kind, "data"), map[string]diagnose.KeyPaths{}
	if len(m.Data.Elements()) == 0 {
		s.Value = attributeOf(kind, "binary_data")
	}
	for name, of := range map[string]types.Map{"data": m.Data, "binary_data": m.BinaryData} {
		for key := range of.Elements() {
			s.Keys[key] = diagnose.KeyPaths{Value: attributeOf(kind, name).AtMapKey(key), Expected: attributeOf(kind, "expected_"+name).AtMapKey(key)}
		}
	}
	wants := m.Expected(kind)
	for name, of := range map[string]types.Map{"expected_data": m.ExpectedData, "expected_binary_data": m.ExpectedBinaryData} {
		for key := range of.Elements() {
			s.Keys[key] = diagnose.KeyPaths{Value: s.Keys[key].Value, Expected: attributeOf(kind, name).AtMapKey(key), Want: new(wants[key])}
		}
	}
}

// Check says what is wrong with the maps, alone and together. The schema of a ConfigMap checks what each holds by itself. A null removes the key, or is refused.
func (m *Maps) Check(kind eval.Kind, mayRemove bool) (diags diag.Diagnostics) {
	size, largest, where := 0, eval.Value{}, path.Empty()
	for _, of := range []struct {
		values, texts types.Map // texts is the map beside the base64 map
		name, beside  string
		writes        bool
	}{
		{m.Data, types.Map{}, "data", "", true},
		{m.BinaryData, m.Data, "binary_data", "data", true},
		{m.ExpectedData, types.Map{}, "expected_data", "", false},
		{m.ExpectedBinaryData, m.ExpectedData, "expected_binary_data", "expected_data", false},
	} {
		for _, key := range slices.Sorted(maps.Keys(of.values.Elements())) {
			at, v := attributeOf(kind, of.name).AtMapKey(key), StringOf(of.values.Elements()[key])
			text, base64 := v, types.StringNull()
			if of.beside != "" {
				text, base64 = base64, v
			}
			_, isText := of.texts.Elements()[key]
			title, problem := sealedProblem(text, base64)
			switch problems := terms.KeyProblems(key); {
			case kind == eval.Secret && len(problems) > 0:
				diags.Append(fault(kind, diagnose.TitleInvalidConfigMapKey.Of(kind), at, problems[0]))
			case of.writes && v.IsNull() && !mayRemove:
				diags.Append(fault(kind, diagnose.TitleMissingValue, at, "must not be null; to remove the key, leave it out"))
			case isText:
				diags.Append(fault(kind, diagnose.TitleKeyInBothMaps, at, fmt.Sprintf("the key must not be in %s as well", attributeOf(kind, of.beside))))
			case kind == eval.Secret && problem != "":
				diags.Append(fault(kind, title, at, problem))
			}
			if e := EntryFrom(kind, text, base64); of.writes {
				if size += e.Size(); e.Size() > largest.Size() || e.Size() == largest.Size() && at.String() < where.String() {
					largest, where = e, at
				}
			}
		}
	}
	switch {
	case size <= eval.MaxSize:
	case kind == eval.Secret && len(diags) == 0:
		diags.Append(fault(kind, diagnose.TitleValuesTooLarge, attributeOf(kind, "data"), fmt.Sprintf("all values together must have at most %d bytes", eval.MaxSize)))
	case kind != eval.Secret && largest.Size() <= eval.MaxSize: // the schema refuses a larger one
		diags.Append(fault(kind, diagnose.TitleValuesTooLarge, where, fmt.Sprintf(
			"the values must have at most %d bytes together, not %d; this is the largest, with %d", eval.MaxSize, size, largest.Size())))
	}
	return diags
}

// attributeOf is an attribute with a value, which the schema of a Secret has as a write-only one.
func attributeOf(kind eval.Kind, name string) path.Path {
	if kind == eval.Secret {
		name += "_wo"
	}
	return path.Root(name)
}

// fault is an error about one of the maps.
func fault(kind eval.Kind, title *diagnose.Row, at path.Path, problem string) diag.Diagnostic {
	if kind == eval.Secret {
		return sealedFault(title, "data_wo_version", at.String(), problem)
	}
	return title.Problem(at, problem)
}

// sealedFault is an error about a write-only attribute. It points at another one: Terraform prints the line that an error points at, which may
// have the value.
func sealedFault(title *diagnose.Row, at, attribute, problem string) diag.Diagnostic {
	return title.At(path.Root(at), fmt.Sprintf("Attribute %s: %s.", attribute, problem))
}

// notGenerated explains why a write-only value is missing in a configuration that Terraform generated for an import.
const notGenerated = "; no state has the value, so a generated configuration lacks it"

// sealedProblem describes the problem of a value without its length. It is empty for a valid or unknown value.
func sealedProblem(textual, encoded types.String) (title *diagnose.Row, problem string) {
	b := []byte(textual.ValueString())
	if !encoded.IsNull() && !encoded.IsUnknown() {
		if b, problem = attributes.DecodeBase64(encoded.ValueString()); problem != "" {
			return diagnose.TitleInvalidBase64, problem
		}
	}
	if len(b) > eval.MaxSize {
		return diagnose.TitleValueTooLarge, fmt.Sprintf("all values of a Secret must have at most %d bytes together", eval.MaxSize)
	}
	return nil, ""
}
