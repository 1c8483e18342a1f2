package object

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// What the resource, the action and the data source have in common, as [adapter.Named] and [adapter.Maps] are of ConfigMaps and Secrets.

// typeMeta are the attributes that say of which kind an object is, in which version of the API.
type typeMeta struct {
	APIVersion types.String `tfsdk:"api_version"`
	ObjectKind types.String `tfsdk:"kind"`
}

func (t *typeMeta) kind() cas.Kind {
	return terms.KindOf(t.APIVersion.ValueString(), t.ObjectKind.ValueString())
}

// ref names the object.
func (t *typeMeta) ref(of adapter.Named) cas.Ref {
	return cas.Ref{Kind: t.kind(), Namespace: of.Namespace.ValueString(), Name: of.Name.ValueString()}
}

// places are the attributes that say where the object is.
func (t *typeMeta) places(of adapter.Named) []types.String {
	return []types.String{t.APIVersion, t.ObjectKind, of.Namespace, of.Name}
}

// fieldMaps say what fields shall hold, and what they must hold before.
type fieldMaps struct {
	typeMeta

	Fields         types.Dynamic `tfsdk:"fields"`
	ExpectedFields types.Dynamic `tfsdk:"expected_fields"`
}

// fields are what fields shall hold, and expected what they must hold before.
func (m *fieldMaps) fields() (fieldSet, diag.Diagnostics) {
	return readFields("fields", m.Fields, func(path string) (string, error) { return cas.FieldKey(m.kind(), path) })
}

func (m *fieldMaps) expected() (fieldSet, diag.Diagnostics) {
	return readFields("expected_fields", m.ExpectedFields, func(path string) (string, error) { return cas.ReadKey(m.kind(), path) })
}

// check says what is wrong with the maps, alone and together.
func (m *fieldMaps) check() diag.Diagnostics {
	fields, diags := m.fields()
	expected, more := m.expected()
	diags.Append(more...)
	for key, e := range fields.entries {
		if err := cas.CanSet(key, e); err != nil && fields.isKnown {
			diags.Append(diagnose.TitleInvalidFieldValue.Problem(fields.at(key), err.Error()))
		}
		for guard := range expected.entries {
			if guard != key && cas.Overlap(guard, key) {
				diags.Append(diagnose.TitleFieldNamedTwice.Problem(expected.at(guard), fmt.Sprintf(
					"it names a part of %q in fields, or the reverse: expect the same field", fields.spelled[key])))
			}
		}
	}
	return diags
}

// describe says to a subject where attributes say something about a field, and what they hold.
func describe(s *diagnose.Subject, apiVersion string, fields, expected fieldSet) {
	s.APIVersion, s.Value, s.Keys, s.Texts = apiVersion, path.Root("fields"), map[string]diagnose.KeyPaths{}, map[string]string{}
	for key, e := range fields.entries {
		s.Keys[key] = diagnose.KeyPaths{Value: fields.at(key), Expected: expected.at(key)}
		s.Values = append(s.Values, e)
		if text, isText := e.Text(); isText {
			s.Texts[key] = text
		}
	}
	for key, e := range expected.entries {
		s.Keys[key] = diagnose.KeyPaths{Value: s.Keys[key].Value, Expected: expected.at(key), Want: new(e)}
		s.Values = append(s.Values, e)
	}
}
