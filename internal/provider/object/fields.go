// Package object has the resource, the data source and the action of fields of objects of any kind. They translate to
// the same claims as those of ConfigMaps and Secrets: a key is what [eval.FieldKey] makes of a path.
package object

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/resource"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// NewFields is cas_object_fields, a resource of many fields. A change of fields is an update of it, and no replace.
func NewFields() fwresource.Resource {
	f := fieldsFamily()
	f.Name, f.Definition, f.ImportForm = "object_fields", fieldsSchema, terms.FieldsIDForm
	f.Identity, f.ParseID, f.Locate = fieldsIdentity(), parseFieldsID, (*fieldsModel).locate
	return resource.New(f)
}

// fieldsFamily returns the family of fields, except for the schema and the ids of a resource.
func fieldsFamily() resource.Family[fieldsModel] {
	return resource.Family[fieldsModel]{
		Type:     resource.Type{IsOfFields: true, MutableIdentity: true}, // the identity changes with the fields
		Base:     func(m *fieldsModel) *resource.Base { return &m.Base },
		ID:       func(c resource.Call[fieldsModel]) string { return c.Model.importID(c.Model.Ref(), c.Model.keys()) },
		Validate: (*fieldsModel).validate,
		Claim:    fieldsClaim,
		Result:   fieldsResult,
		Read:     readFields,
		Reword:   reword,
	}
}

// fieldsModel is the resource's schema as Go values.
type fieldsModel struct {
	resource.KeysAttributes
	fieldMaps

	PreviousFields types.Dynamic `tfsdk:"previous_fields"`
	StoredFields   types.Dynamic `tfsdk:"stored_fields,optional"` // a document stores each value as it is
	HideValues     types.Bool    `tfsdk:"hide_values"`
}

// anyObject is the kind in descriptions.
var anyObject = eval.KindOf("", "object")

func fieldsSchema(ctx context.Context) schema.Schema {
	apiVersion := apiVersionAttribute(" A change of the group replaces the resource, one of the version does not.")
	apiVersion.PlanModifiers = []planmodifier.String{
		stringplanmodifier.RequiresReplaceIf(isOtherGroup, groupDescription, groupDescription),
	}
	all := places("It must exist before the write.", " A change replaces the resource.",
		stringplanmodifier.RequiresReplace())
	maps.Copy(all, map[string]schema.Attribute{
		"fields": schema.DynamicAttribute{
			Required: true,
			MarkdownDescription: "Values to write, by path: any JSON value; null removes the field. Set at least one. The " +
				"resource ignores other fields. If you remove a path from the map, `deletion_policy` applies to it. " +
				"[Paths](#paths) have the form that the API server prints.",
		},
		"expected_fields": schema.DynamicAttribute{
			Optional: true,
			MarkdownDescription: "Values that fields must hold before the write, by path, as the API server stores them; null " +
				"if the field must be absent. A path only in `fields` must be absent on create, and hold the value in the state " +
				"on update. A path only in `expected_fields` is a guard, also in `status`: the request compares the field and " +
				"never writes it. A plan without a write checks nothing. A field of `fields` is compared only when written, so " +
				"its expectation can stay in the configuration after the swap.",
		},
		"conflict_scope":  fieldScope(),
		"deletion_policy": fieldPolicy(),
		"on_drift":        fieldDrift(),
		"hide_values": attributes.Flag("Show lengths and SHA-256 digests instead of values in diagnostics, including " +
			"quoted API server messages. `previous_fields` and `stored_fields` stay null; `fields` and `expected_fields` stay " +
			"in the state, as all that a configuration says. Set this if values are sensitive: a provider cannot see " +
			"Terraform's `sensitive` marks. Default: `false`."),
		"previous_fields": previousFields(),
		"stored_fields": schema.DynamicAttribute{
			Computed: true,
			MarkdownDescription: "What the API server made of `fields`, by path, where that is another value: it stores the " +
				"quantity `1000m` as `1`, and adds defaults to objects. Null if there is no such field, or with `hide_values`.",
		},
		"api_version":    apiVersion,
		"adopt_existing": adoptFields(),
		"id": attributes.Computed("`api_version/kind/namespace/name/path1,path2` with the paths sorted, for example " +
			"`apps/v1/Deployment/shop/web/spec.replicas`. Nothing stands between two slashes for a kind without namespaces."),
		"wait_for_match": attributes.Wait(anyObject, terms.ScopeField,
			"the verb `watch`, and excludes `conflict_scope = \"object\"`"),
	})
	return attributes.OfData(ctx, "Writes fields of an existing object of any kind in one atomic request, all or none, "+
		"only if every field holds its expected value.", anyObject, "", all)
}

// fieldScope returns the attribute conflict_scope.
func fieldScope() schema.StringAttribute {
	return attributes.OneOf("Which changes since the plan are a conflict for an update or a delete. `field` (default): "+
		"only a change of one of these fields or guards. `object`: any change of the object that this apply did not make, "+
		"which includes the status updates of a controller.", terms.ScopeField, terms.ScopeObject)
}

// fieldPolicy returns the attribute deletion_policy.
func fieldPolicy() schema.StringAttribute {
	return attributes.OneOf("What happens to the fields on destroy, and to a field that you remove from the "+
		"configuration. `release` (default) removes the fields that this resource added, unless somebody else changed them "+
		"since, and leaves all others. The plan lists the fields that stay. `delete` removes all, and refuses changed ones "+
		"unless `on_drift = \"overwrite\"`. `restore` puts back the values from before the first write, import or "+
		"adoption. `abandon` leaves all as they are.",
		terms.PolicyRelease, terms.PolicyDelete, terms.PolicyRestore, terms.PolicyAbandon)
}

// fieldDrift returns the attribute on_drift.
func fieldDrift() schema.StringAttribute {
	return attributes.OnDrift("What an update does if somebody else changed one of the fields after the last apply. " +
		"`error` (default) refuses to overwrite the change. `overwrite` warns at plan and overwrites the change. The " +
		"update is also permitted if you set a new expected value that the field holds. A missing field is created again, " +
		"unless an expected value is set.")
}

// previousFields returns the attribute previous_fields.
func previousFields() schema.DynamicAttribute {
	return schema.DynamicAttribute{
		Computed: true,
		MarkdownDescription: "Values that the last write replaced or removed, by path; null for an absent field. The " +
			"attribute is null if this resource has not written yet (for example after an import), or with `hide_values`.",
	}
}

// adoptFields returns the attribute adopt_existing.
func adoptFields() schema.BoolAttribute {
	return attributes.Flag("Adopt fields that already hold their values, without a write. Otherwise, such a field is an " +
		"error. Default: `false`.")
}

const groupDescription = "a change of the API group replaces the resource"

func isOtherGroup(
	_ context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse,
) {
	resp.RequiresReplace = req.PlanValue.IsUnknown() ||
		terms.KindOf(req.PlanValue.ValueString(), "").Group() != terms.KindOf(req.StateValue.ValueString(), "").Group()
}

// places are the attributes that say where the object is; exists and changes are sentences about it.
func places(exists, changes string, modifiers ...planmodifier.String) map[string]schema.Attribute {
	text := func(isRequired bool, valid validator.String, description string) schema.StringAttribute {
		return schema.StringAttribute{
			Required: isRequired, Optional: !isRequired, PlanModifiers: modifiers, Validators: []validator.String{valid},
			MarkdownDescription: description + changes,
		}
	}
	return map[string]schema.Attribute{
		"api_version": apiVersionAttribute(""),
		"kind": text(true, attributes.Rule("a kind", message.InvalidKind, terms.KindProblems),
			"Kind of the object, such as `Deployment`."),
		"namespace": text(false, attributes.ValidNamespace(),
			"Namespace of the object. Required for kinds that have namespaces, and none for others."),
		"name": text(true, attributes.Rule("the name of an object", message.InvalidObjectName,
			terms.ObjectNameProblems), "Name of the object. "+exists),
	}
}

func apiVersionAttribute(changes string) schema.StringAttribute {
	return schema.StringAttribute{
		Required: true,
		Validators: []validator.String{
			attributes.Rule("VERSION or GROUP/VERSION", message.InvalidAPIVersion, terms.APIVersionProblems),
		},
		MarkdownDescription: "Version of the API in which paths are read, such as `v1` or `apps/v1`." + changes,
	}
}

// Ref names the object.
func (m *fieldsModel) Ref() eval.Ref { return m.ref(m.Named) }

// forms returns the values of fields that the API server stored in another form. A plan that gives a field the value
// that the state has asks for no other form of it, in the same version of the API: each version has forms of its own.
func (m *fieldsModel) forms(state *fieldsModel, memory *resource.Memory) map[string]eval.Value {
	forms := map[string]eval.Value{}
	if state == nil || !m.APIVersion.Equal(state.APIVersion) {
		return forms
	}
	planned, _ := m.fields()
	had, _ := state.fields()
	for key, form := range memory.Forms {
		if e, has := had.entries[key]; has && planned.isKnown && planned.entries[key] == e {
			forms[key] = form
		}
	}
	return forms
}

// validate checks what the schema does not.
func (m *fieldsModel) validate() (diags diag.Diagnostics) {
	diags = m.check()
	if fields, _ := m.fields(); fields.isNamed && len(fields.entries) == 0 && !diags.HasError() {
		diags.Append(message.MissingKeys.Problem(path.Root("fields"), "there must be at least one field"))
	}
	return diags
}

// importID returns the id of fields.
func (m *fieldsModel) importID(ref eval.Ref, keys []string) string {
	if m.isDocument() {
		entry := terms.EntryID{Ref: ref, Key: m.Key.ValueString()}
		return terms.DocumentID{EntryID: entry, Format: m.Format.ValueString(), Keys: keys}.String()
	}
	return terms.FieldsID{Ref: ref, APIVersion: m.apiVersion(), Keys: keys}.String()
}

func (m *fieldsModel) keys() []string {
	s, _ := m.fields()
	return slices.Sorted(maps.Keys(s.entries))
}

// fieldsClaim translates the attributes to a claim. A value has the form that the API server gave it.
func fieldsClaim(call resource.Call[fieldsModel]) *resource.Claim {
	m := call.Model
	fields, _ := m.fields()
	expected, _ := m.expected()
	values := maps.Clone(fields.entries)
	for key, form := range m.forms(call.State, call.Memory) {
		if _, has := values[key]; has {
			values[key] = form
		}
	}
	place := m.kind().String() + "." + m.kind().Group() + "/" + m.Ref().String()
	if m.isDocument() {
		place = terms.EntryID{Ref: m.Ref(), Key: m.Key.ValueString()}.String() + "/" + m.Format.ValueString()
	}
	c := m.NewClaim(place, values, expected.entries)
	c.Ref = m.Ref()
	c.APIVersion, c.Configured = m.apiVersion(), fields.entries
	if m.isDocument() {
		c.Document = m.Key.ValueString()
	}
	if c.Scope == terms.ScopeField {
		c.Scope = terms.ScopeKey
	}
	c.Known = decide.Known{
		Place: resource.Known(m.places(m.Named)...), Keys: fields.isNamed, Values: fields.isKnown, Change: fields.isKnown,
		All: fields.isKnown && expected.isKnown && resource.Known(m.ConflictScope, m.DeletionPolicy) &&
			!m.AdoptExisting.IsUnknown(),
	}
	c.About = func(op terms.Operation) message.Subject {
		hide := message.HideIf(call.Session.Hides(m.HideValues))
		s := m.Subject(op, hide, `Apply deletion_policy = "abandon" to the resource that gives the field up. Then set `+
			"adopt_existing = true or expected_fields in the one that takes it over.")
		s.ID.Ref, s.Noun, s.Place = c.Ref, "fields", "api_version, kind, namespace and name"
		s.Ways.OtherKeys = `set conflict_scope = "field" to ignore other fields.`
		s.ImportID = func(ref eval.Ref, keys []string) string { return m.importID(ref, keys) }
		if m.isDocument() {
			s.Document, s.Place = m.Key.ValueString(), "namespace, name, key and format"
		}
		describe(&s, c.APIVersion, fields, expected)
		return s
	}
	return c
}

// fieldsResult stores the values that a write replaced, and the forms of the values that it wrote.
func fieldsResult(c resource.Call[fieldsModel], written *resource.Written) {
	m := c.Model
	spelled := map[string]string{} // the paths as the state has them, by key
	if c.State != nil {
		had, _ := c.State.fields()
		spelled = had.spelled
	}
	if written != nil {
		m.setStored(m.forms(m, c.Memory), c.Session)
		m.PreviousFields = types.DynamicNull()
		if !c.Session.Hides(m.HideValues) { // nobody marks a replaced value as sensitive
			m.PreviousFields = m.valuesOf(written.Previous, spelled)
		}
		return
	}
	m.setStored(m.forms(c.State, c.Memory), c.Session)
	m.PreviousFields = resource.Kept(
		c.State.PreviousFields, types.DynamicNull(), types.DynamicUnknown(), m.HideValues, c.Session)
	if previous, _ := read("previous_fields", m.PreviousFields, m.keyRead); previous.isKnown {
		m.PreviousFields = m.valuesOf(previous.entries, spelled)
	}
}

func (m *fieldsModel) setStored(forms map[string]eval.Value, run *session.Session) {
	s, _ := m.fields()
	stored := map[string]eval.Value{}
	for key, form := range forms {
		if e, has := s.entries[key]; has && e != form && !run.Hides(m.HideValues) {
			stored[key] = form
		}
	}
	m.StoredFields = s.attributeOf(stored)
}

// valuesOf returns an attribute with these entries, spelled as fields has them; for a path that fields no longer has,
// as the state had it.
func (m *fieldsModel) valuesOf(entries map[string]eval.Value, spelled map[string]string) types.Dynamic {
	s, _ := m.fields()
	for key, spelling := range spelled {
		if _, has := s.spelled[key]; !has {
			s.spelled[key] = spelling
		}
	}
	return s.attributeOf(entries)
}

// reword replaces each attribute of a plan that says the same as in its state by the attribute of the state.
func reword(m, state *fieldsModel) {
	for _, a := range []struct{ plan, state *types.Dynamic }{
		{&m.Fields, &state.Fields},
		{&m.ExpectedFields, &state.ExpectedFields},
		{&m.PreviousFields, &state.PreviousFields},
		{&m.StoredFields, &state.StoredFields},
	} {
		planned, _ := read("", *a.plan, m.keyRead)
		had, _ := read("", *a.state, m.keyRead)
		if planned.isSame(had) && isNull(*a.plan) == isNull(*a.state) {
			*a.plan = *a.state
		}
	}
}

// isNull reports whether an attribute is null, of any type.
func isNull(v types.Dynamic) bool { return v.IsNull() || v.IsUnderlyingValueNull() }

// readFields stores the values of the fields; null for a field that is absent. The stored form of a value counts as
// that value, and a value that did not change keeps its type.
func readFields(c resource.Call[fieldsModel], seen *resource.Seen) bool {
	m := c.Model
	s, _ := m.fields()
	forms := m.forms(m, c.Memory)
	live, isChanged := map[string]tftypes.Value{}, seen.IsImport
	for _, key := range seen.Keys {
		was, has := s.entries[key]
		if !has && !seen.IsImport {
			continue
		}
		e := seen.Value(key)
		if form, isForm := forms[key]; has && (e.Matches(was) || isForm && form == e) {
			live[s.spelling(key)] = s.values[key]
		} else {
			live[s.spelling(key)], isChanged = valueOf(e), true
		}
	}
	if isChanged {
		m.Fields = dynamicOf(live)
	}
	if !m.StoredFields.IsNull() {
		m.setStored(forms, nil)
	}
	return seen.Exists()
}

// fieldsIdentity returns the attributes of the identity. The identity changes with the fields, and with the version of
// the API.
func fieldsIdentity() map[string]identityschema.Attribute {
	return map[string]identityschema.Attribute{
		"api_version": requiredForImport("Version of the API, such as \"apps/v1\"."),
		"kind":        requiredForImport("Kind of the object, such as \"Deployment\"."),
		"namespace": identityschema.StringAttribute{
			OptionalForImport: true, Description: "Namespace of the object; none for kinds without namespaces.",
		},
		"name": requiredForImport("Name of the object."),
		"paths": identityschema.ListAttribute{
			ElementType: types.StringType, RequiredForImport: true, Description: "Paths of the fields.",
		},
	}
}

// requiredForImport returns a string attribute of an identity that an import must set.
func requiredForImport(description string) identityschema.Attribute {
	return identityschema.StringAttribute{RequiredForImport: true, Description: description}
}

func parseFieldsID(s string) (resource.Identity, error) {
	id, err := terms.ParseFieldsID(s)
	return resource.Identity{
		APIVersion: types.StringValue(id.APIVersion), Kind: types.StringValue(id.Kind.String()),
		Namespace: resource.TextOf(id.Namespace), Name: types.StringValue(id.Name), Paths: resource.ListOf(pathsOf(id.Keys)),
	}, err
}

func (m *fieldsModel) locate(i resource.Identity) ([]string, error) {
	id, err := terms.NewFieldsID(i.APIVersion.ValueString(), i.Kind.ValueString(), i.Namespace.ValueString(),
		i.Name.ValueString(), resource.KeysOf(i.Paths))
	m.APIVersion, m.ObjectKind = types.StringValue(id.APIVersion), types.StringValue(id.Kind.String())
	m.Namespace, m.Name = resource.TextOf(id.Namespace), types.StringValue(id.Name)
	m.ID = types.StringValue(id.String())
	return id.Keys, err
}
