// Package object has the resource, the data source and the action of fields of objects of any kind. They translate to the same claims as those of
// ConfigMaps and Secrets: a key is what [eval.FieldKey] makes of a path.
package object

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// NewFields is cas_object_fields, a resource of many fields. A change of fields is an update of it, and no replace.
func NewFields() resource.Resource {
	r := adapter.NewKeys[fieldsModel]("object_fields", eval.ConfigMap, terms.FieldsIDForm, fieldsSchema) // each model knows the kind
	r.IsOfFields, r.MutableIdentity = true, true                                                         // with the fields, and with the version of the API
	return r.New()
}

// fieldsModel is the resource's schema as Go values.
type fieldsModel struct {
	adapter.KeysAttributes
	fieldMaps

	PreviousFields types.Dynamic `tfsdk:"previous_fields"`
	StoredFields   types.Dynamic `tfsdk:"stored_fields"`
	HideValues     types.Bool    `tfsdk:"hide_values"`

	forms   map[string]eval.Value `tfsdk:"-"` // the values of Fields that the API server stored in another form
	spelled map[string]string     `tfsdk:"-"` // the paths as the state before a plan has them, by key
}

// anyObject is the kind in descriptions.
var anyObject = eval.KindOf("", "object")

func fieldsSchema(ctx context.Context) schema.Schema {
	apiVersion := apiVersionAttribute(" A change of the group replaces the resource, one of the version does not.")
	apiVersion.PlanModifiers = []planmodifier.String{stringplanmodifier.RequiresReplaceIf(isOtherGroup, groupDescription, groupDescription)}
	all := places("It must exist before the write.", " A change replaces the resource.", stringplanmodifier.RequiresReplace())
	maps.Copy(all, map[string]schema.Attribute{
		"fields": schema.DynamicAttribute{
			Required: true,
			MarkdownDescription: "Values to write, by path: any JSON value; null removes the field. Set at least one. The resource ignores other fields. If you remove a " +
				"path from the map, `deletion_policy` applies to it. [Paths](#paths) have the form that the API server prints.",
		},
		"expected_fields": schema.DynamicAttribute{
			Optional: true,
			MarkdownDescription: "Values that fields must hold before the write, by path, as the API server stores them; null if the field must be absent. A field of " +
				"`fields` that is not here must be absent on create, and hold the value in the state on update. A field that is only here is a guard: the " +
				"request compares it and never writes it; it may be one of `status`. A plan without a write checks nothing. A field that is not " +
				"written is not compared with its expectation, so both can stay in the configuration after the swap.",
		},
		"conflict_scope": attributes.OneOf("Which changes since the plan are a conflict for an update or a delete. `field` (default): only a "+
			"change of one of these fields or guards. `object`: any change of the object that this apply did not make; where a controller reports its "+
			"status, that is nearly always one.", terms.ScopeField, terms.ScopeObject),
		"deletion_policy": attributes.OneOf("What happens to the fields on destroy, and to one that you remove from the configuration. `release` (default) removes those that this resource "+
			"added, and leaves all others as they are, as well as those that somebody else changed since. The plan lists what stays. `delete` removes all. `restore` puts back "+
			"what they held before the first write (or the import or adoption). `abandon` leaves all as they are.",
			terms.PolicyRelease, terms.PolicyDelete, terms.PolicyRestore, terms.PolicyAbandon),
		"on_drift": attributes.OnDrift("What an update does if somebody else changed one of the fields after the last apply. `error` (default) refuses to " +
			"overwrite the change. `overwrite` warns at plan and overwrites it. A new expectation that holds also permits the update. A field that " +
			"somebody removed is created again."),
		"hide_values": attributes.Flag("Show lengths and SHA-256 digests instead of values in diagnostics, also where they quote the API server. `previous_fields` and " +
			"`stored_fields` stay null; `fields` and `expected_fields` stay in the state, as all that a configuration says. A provider cannot see Terraform's " +
			"`sensitive` marks, so set it if values are sensitive. Default: `false`."),
		"previous_fields": schema.DynamicAttribute{
			Computed: true,
			MarkdownDescription: "What the last write replaced or removed, by path; null for a field that was absent. Null as a whole if this resource has not written yet " +
				"(for example after an import), or with `hide_values`.",
		},
		"stored_fields": schema.DynamicAttribute{
			Computed: true,
			MarkdownDescription: "What the API server made of `fields`, by path, where that is another value: it stores the quantity `1000m` as `1`, and adds defaults to " +
				"objects. Null if there is no such field, or with `hide_values`.",
		},
		"api_version":    apiVersion,
		"adopt_existing": attributes.Flag("Take over fields that already hold their values, without a write. Otherwise this is an error. Default: `false`."),
		"id": attributes.Computed("`api_version/kind/namespace/name/path1,path2` with the paths sorted, for example `apps/v1/Deployment/shop/web/spec.replicas`. Nothing " +
			"stands between two slashes for a kind without namespaces."),
		"wait_for_match": attributes.Wait(anyObject, terms.ScopeField, "the verb `watch`, and excludes `conflict_scope = \"object\"`"),
	})
	return attributes.OfData(ctx, "Writes fields of an existing object of any kind in one atomic request, all or none, only if every field holds its expected value.", anyObject, "", all)
}

const groupDescription = "a change of the API group replaces the resource"

func isOtherGroup(_ context.Context, req planmodifier.StringRequest, resp *stringplanmodifier.RequiresReplaceIfFuncResponse) {
	resp.RequiresReplace = req.PlanValue.IsUnknown() || terms.KindOf(req.PlanValue.ValueString(), "").Group() != terms.KindOf(req.StateValue.ValueString(), "").Group()
}

// places are the attributes that say where the object is; exists and changes are sentences about it.
func places(exists, changes string, modifiers ...planmodifier.String) map[string]schema.Attribute {
	text := func(isRequired bool, valid validator.String, description string) schema.StringAttribute {
		return schema.StringAttribute{
			Required: isRequired, Optional: !isRequired, PlanModifiers: modifiers, Validators: []validator.String{valid}, MarkdownDescription: description + changes,
		}
	}
	return map[string]schema.Attribute{
		"api_version": apiVersionAttribute(""),
		"kind":        text(true, attributes.Rule("a kind", diagnose.TitleInvalidKind, terms.KindProblems), "Kind of the object, such as `Deployment`."),
		"namespace":   text(false, attributes.ValidNamespace(), "Namespace of the object. Required for kinds that have namespaces, and none for others."),
		"name":        text(true, attributes.Rule("the name of an object", diagnose.TitleInvalidObjectName, terms.ObjectNameProblems), "Name of the object. "+exists),
	}
}

func apiVersionAttribute(changes string) schema.StringAttribute {
	return schema.StringAttribute{
		Required: true, Validators: []validator.String{attributes.Rule("VERSION or GROUP/VERSION", diagnose.TitleInvalidAPIVersion, terms.APIVersionProblems)},
		MarkdownDescription: "Version of the API in which paths are read, such as `v1` or `apps/v1`." + changes,
	}
}

func (m *fieldsModel) SetKind(eval.Kind) { m.Kind = m.kind() }

// Follow implements [adapter.Follower]. A plan that gives a field the value that the state has asks for no other form of it, in the same version of the API:
// each version has forms of its own.
func (m *fieldsModel) Follow(state *fieldsModel, memory *claim.Memory) {
	planned, _ := m.fields()
	had, _ := state.fields()
	if m != state {
		m.spelled = had.spelled
	}
	m.forms = map[string]eval.Value{}
	for key, form := range memory.Forms {
		if e, has := had.entries[key]; has && planned.isKnown && planned.entries[key] == e && m.APIVersion.Equal(state.APIVersion) {
			m.forms[key] = form
		}
	}
}

// values returns the values that fields must have after a write, or have: in the form that the API server gave them.
func (m *fieldsModel) values() map[string]eval.Value {
	s, _ := m.fields()
	for key, form := range m.forms {
		if _, has := s.entries[key]; has {
			s.entries[key] = form
		}
	}
	return s.entries
}

// Validate checks what the schema does not.
func (m *fieldsModel) Validate() (diags diag.Diagnostics) {
	diags = m.check()
	if fields, _ := m.fields(); fields.isNamed && len(fields.entries) == 0 && !diags.HasError() {
		diags.Append(diagnose.TitleMissingKeys.Problem(path.Root("fields"), "there must be at least one field"))
	}
	return diags
}

func (m *fieldsModel) SetDefaults(of terms.Defaults) {
	m.KeysAttributes.SetDefaults(of)
	m.HideValues = types.BoolValue(false)
}

func (m *fieldsModel) Configure(config *fieldsModel) { m.Pin = config.ExpectedResourceVerWO }

func (m *fieldsModel) At() []types.String { return m.places(m.Named) }

// fieldsID names these fields of the object.
func (m *fieldsModel) fieldsID(ref eval.Ref, keys []string) terms.FieldsID {
	return terms.FieldsID{Ref: ref, APIVersion: m.APIVersion.ValueString(), Keys: keys}
}

func (m *fieldsModel) SetID() {
	m.ID = types.StringValue(m.fieldsID(m.Ref(), m.keys()).String())
}

func (m *fieldsModel) keys() []string {
	s, _ := m.fields()
	return slices.Sorted(maps.Keys(s.entries))
}

// Claim translates the attributes to a claim.
func (m *fieldsModel) Claim(run *claim.Run) *claim.Claim {
	fields, _ := m.fields()
	expected, _ := m.expected()
	c := m.NewClaim(run, m.Kind.String()+"."+m.Kind.Group()+"/"+m.Ref().String(), m.values(), expected.entries)
	c.APIVersion, c.Configured = m.APIVersion.ValueString(), fields.entries
	if c.Scope == terms.ScopeField {
		c.Scope = terms.ScopeKey
	}
	c.Known = decide.Known{
		Place: adapter.Known(m.At()...), Keys: fields.isNamed, Values: fields.isKnown, Change: fields.isKnown,
		All: fields.isKnown && expected.isKnown && adapter.Known(m.ConflictScope, m.DeletionPolicy) && !m.AdoptExisting.IsUnknown(),
	}
	c.About = func(op terms.Operation) diagnose.Subject {
		s := m.Subject(op, diagnose.HideIf(run.Hides(m.HideValues)), `Apply deletion_policy = "abandon" to the resource that gives the field up. Then set `+
			"adopt_existing = true or expected_fields in the one that takes it over.")
		s.Noun, s.Place = "fields", "api_version, kind, namespace and name"
		s.Ways.OtherKeys = `set conflict_scope = "field" to ignore other fields.`
		s.ImportID = func(ref eval.Ref, keys []string) string { return m.fieldsID(ref, keys).String() }
		describe(&s, c.APIVersion, fields, expected)
		return s
	}
	return c
}

// PlanWrite does nothing: an update that writes differs from the state.
func (*fieldsModel) PlanWrite() {}

// TakeIn stores the values that a write replaced, and the forms of the values that it wrote.
func (m *fieldsModel) TakeIn(written claim.Written, run *claim.Run) {
	m.setStored(run)
	m.PreviousFields = types.DynamicNull()
	if !run.Hides(m.HideValues) { // nobody marks what it replaced as sensitive
		m.PreviousFields = m.valuesOf(written.Previous)
	}
}

func (m *fieldsModel) setStored(run *claim.Run) {
	s, _ := m.fields()
	stored := map[string]eval.Value{}
	for key, form := range m.forms {
		if e, has := s.entries[key]; has && e != form && !run.Hides(m.HideValues) {
			stored[key] = form
		}
	}
	m.StoredFields = m.valuesOf(stored)
}

// valuesOf returns an attribute with these entries, spelled as fields has them; for a path that fields no longer
// has, as the state had it.
func (m *fieldsModel) valuesOf(entries map[string]eval.Value) types.Dynamic {
	s, _ := m.fields()
	for key, spelling := range m.spelled {
		if _, has := s.spelled[key]; !has {
			s.spelled[key] = spelling
		}
	}
	return s.attributeOf(entries)
}

// Keep implements [adapter.KeysModel].
func (m *fieldsModel) Keep(state *fieldsModel, run *claim.Run) {
	m.setStored(run)
	m.PreviousFields = adapter.Kept(state.PreviousFields, types.DynamicNull(), types.DynamicUnknown(), m.HideValues, run)
	if previous, _ := m.read("previous_fields", m.PreviousFields, eval.ReadKey); previous.isKnown {
		m.PreviousFields = m.valuesOf(previous.entries)
	}
	m.SetID()
}

// Reword implements [adapter.Reworder].
func (m *fieldsModel) Reword(state *fieldsModel) {
	for _, a := range []struct{ plan, state *types.Dynamic }{
		{&m.Fields, &state.Fields},
		{&m.ExpectedFields, &state.ExpectedFields},
		{&m.PreviousFields, &state.PreviousFields},
		{&m.StoredFields, &state.StoredFields},
	} {
		planned, _ := m.read("", *a.plan, eval.ReadKey)
		had, _ := m.read("", *a.state, eval.ReadKey)
		if planned.isSame(had) && isNull(*a.plan) == isNull(*a.state) {
			*a.plan = *a.state
		}
	}
}

// isNull reports whether an attribute is null, of any type.
func isNull(v types.Dynamic) bool { return v.IsNull() || v.IsUnderlyingValueNull() }

// Refresh stores the values of the fields; null for a field that is absent. The stored form of a value counts as that
// value, and a value that did not change keeps its type.
func (m *fieldsModel) Refresh(seen *claim.Seen, _ *claim.Run) bool {
	s, _ := m.fields()
	live, isChanged := map[string]tftypes.Value{}, seen.IsImport
	for _, key := range seen.Keys {
		was, has := s.entries[key]
		if !has && !seen.IsImport {
			continue
		}
		e := seen.Value(key)
		if form, isForm := m.forms[key]; has && (e.Matches(was) || isForm && form == e) {
			live[s.spelling(key)] = s.values[key]
		} else {
			live[s.spelling(key)], isChanged = valueOf(e), true
		}
	}
	if isChanged {
		m.Fields = dynamicOf(live)
	}
	if !m.StoredFields.IsNull() {
		m.setStored(nil)
	}
	return seen.Exists()
}

// identity is the identity of fields. It changes with the fields, and with the version of the API.
type identity struct {
	typeMeta
	adapter.Named

	Paths types.List `tfsdk:"paths"`
}

var identities = codec.Of[identity](func(context.Context) identityschema.Schema { return new(fieldsModel).IdentitySchema(anyObject) })

func (*fieldsModel) IdentitySchema(eval.Kind) identityschema.Schema {
	required := func(description string) identityschema.Attribute {
		return identityschema.StringAttribute{RequiredForImport: true, Description: description}
	}
	return identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"api_version": required("Version of the API, such as \"apps/v1\"."),
		"kind":        required("Kind of the object, such as \"Deployment\"."),
		"namespace":   identityschema.StringAttribute{OptionalForImport: true, Description: "Namespace of the object; none for kinds without namespaces."},
		"name":        required("Name of the object."),
		"paths":       identityschema.ListAttribute{ElementType: types.StringType, RequiredForImport: true, Description: "Paths of the fields."},
	}}
}

func (m *fieldsModel) EncodeIdentity(ctx context.Context, raw *tftypes.Value) diag.Diagnostics {
	keys := m.keys()
	if id, err := terms.ParseFieldsID(m.ID.ValueString()); err == nil && len(keys) == 0 { // of an import
		keys = id.Keys
	}
	for i, key := range keys {
		keys[i], _ = diagnose.NameOf(key)
	}
	return identities().Encode(ctx, identity{m.typeMeta, m.Named, adapter.ListOf(keys)}, raw)
}

func (m *fieldsModel) Import(ctx context.Context, req resource.ImportStateRequest) ([]string, diag.Diagnostics) {
	id, diags := adapter.Imported(ctx, req, terms.ParseFieldsID, func(i identity) (terms.FieldsID, error) {
		return terms.NewFieldsID(i.APIVersion.ValueString(), i.ObjectKind.ValueString(), i.Namespace.ValueString(), i.Name.ValueString(), adapter.KeysOf(i.Paths))
	})
	if diags.HasError() {
		return nil, diags
	}
	m.APIVersion, m.ObjectKind, m.Namespace, m.Name = types.StringValue(id.APIVersion), types.StringValue(id.Kind.String()), adapter.TextOf(id.Namespace), types.StringValue(id.Name)
	m.ID = types.StringValue(id.String())
	m.SetKind(id.Kind)
	return id.Keys, nil
}
