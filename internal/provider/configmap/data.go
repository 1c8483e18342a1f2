package configmap

import (
	"context"
	"encoding/base64"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

var (
	_ adapter.Resource                    = (*dataResource)(nil)
	_ resource.ResourceWithMoveState      = (*dataResource)(nil)
	_ resource.ResourceWithValidateConfig = (*dataResource)(nil)
)

// dataResource is cas_configmap_data, a resource of many keys. A change of keys is an update of it, and no replace.
type dataResource struct {
	adapter.Keys[dataModel, *dataModel]
}

// NewData is cas_configmap_data.
func NewData() resource.Resource {
	return &dataResource{adapter.Keys[dataModel, *dataModel]{Codec: dataCodec}}
}

// dataModel is the resource's schema as Go values.
type dataModel struct {
	adapter.KeysAttributes
	dataMaps

	HideValues   types.Bool `tfsdk:"hide_values"`
	PreviousData types.Map  `tfsdk:"previous_data"`
}

// dataMaps say what keys shall hold, and what they must hold before.
type dataMaps struct {
	Data               types.Map `tfsdk:"data"`
	BinaryData         types.Map `tfsdk:"binary_data"`
	ExpectedData       types.Map `tfsdk:"expected_data"`
	ExpectedBinaryData types.Map `tfsdk:"expected_binary_data"`
}

var dataCodec = adapter.SchemaCodec[dataModel](&dataResource{})

func (*dataResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_configmap_data"
	resp.ResourceBehavior.MutableIdentity = true // with the keys
}

// keys gives the keys of data and binary_data.
func (m *dataMaps) keys() []string { return keysIn(m.Data, m.BinaryData) }

func (m *dataModel) SetID() {
	m.ID = types.StringValue(terms.DataID{Ref: m.Ref(), Keys: m.keys()}.String())
}

func (m *dataModel) EncodeIdentity(ctx context.Context, raw *tftypes.Value) diag.Diagnostics {
	return adapter.DataIdentityOf(&m.Place).Encode(ctx, raw)
}

// Claim translates the maps to a claim.
func (m *dataModel) Claim(run *claim.Run) *claim.Claim {
	c := m.NewClaim(m.Ref().String(), m.Ref(), entriesFrom(m.Data, m.BinaryData), entriesFrom(m.ExpectedData, m.ExpectedBinaryData))
	keyed, valued := !m.Data.IsUnknown() && !m.BinaryData.IsUnknown(), adapter.AllKnown(m.Data, m.BinaryData)
	c.Known = claim.Known{
		Place: m.RefKnown(), Keys: keyed, Values: valued, Change: valued,
		All: adapter.AllKnown(m.Data, m.BinaryData, m.ExpectedData, m.ExpectedBinaryData) && adapter.Known(m.ConflictScope, m.DeletionPolicy) &&
			!m.AdoptExisting.IsUnknown(),
	}
	c.About = func(op terms.Operation) diagnose.Subject { return m.about(op, run.Hides(m.HideValues)) }
	return c
}

func (m *dataModel) about(op terms.Operation, hide bool) diagnose.Subject {
	s := diagnose.Subject{
		ID: terms.EntryID{Ref: m.Ref()}, Noun: "keys", Place: "namespace and name",
		ImportID: func(ref cas.Ref, keys []string) string { return terms.DataID{Ref: ref, Keys: keys}.String() },
		Ways: adapter.Ways(`Apply deletion_policy = "abandon" to the resource that gives the key up. Then set adopt_existing = true or expected_data ` +
			"in the one that takes it over."),
		Op: op, Limit: op, Hide: diagnose.HideIf(hide),
	}
	m.describe(&s)
	if op == terms.OpCreate || op == terms.OpUpdate {
		s.Wait = m.WaitForMatch
	}
	return s
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
	wants := entriesFrom(m.ExpectedData, m.ExpectedBinaryData)
	for expected, of := range map[string]types.Map{"expected_data": m.ExpectedData, "expected_binary_data": m.ExpectedBinaryData} {
		for key := range of.Elements() {
			s.Keys[key] = diagnose.KeyPaths{Value: s.Keys[key].Value, Expected: path.Root(expected).AtMapKey(key), Want: new(wants[key])}
		}
	}
	for _, e := range entriesFrom(m.Data, m.BinaryData) {
		s.Values = append(s.Values, e)
	}
}

func (m *dataModel) MayBe(state *dataModel) bool {
	return adapter.Agrees(m.Namespace, state.Namespace) && adapter.Agrees(m.Name, state.Name)
}

// SetPrevious stores the replaced texts.
func (m *dataModel) SetPrevious(previous map[string]cas.Entry, run *claim.Run) {
	m.PreviousData = types.MapNull(types.StringType)
	if previous == nil || run.Hides(m.HideValues) { // nobody marks what it replaced as sensitive
		return
	}
	texts := map[string]attr.Value{}
	for key, e := range previous {
		texts[key] = types.StringNull()
		if text, ok := e.Text(); ok {
			texts[key] = types.StringValue(text)
		}
	}
	m.PreviousData = types.MapValueMust(types.StringType, texts)
}

func (m *dataModel) KeepPrevious(state *dataModel, run *claim.Run) {
	m.PreviousData = state.PreviousData
	switch {
	case m.PreviousData.IsNull():
	case m.HideValues.IsUnknown():
		m.PreviousData = types.MapUnknown(types.StringType)
	case run.Hides(m.HideValues):
		m.PreviousData = types.MapNull(types.StringType)
	}
}

// Refresh stores the keys that exist. The resource exists as long as its ConfigMap does, whatever keys vanish.
func (m *dataModel) Refresh(seen *claim.Seen) bool {
	had, live := entriesFrom(m.Data, m.BinaryData), map[string]cas.Entry{}
	for _, key := range seen.Keys {
		live[key] = seen.Entry(key)
		if was, has := had[key]; has && live[key].Holds(was) {
			live[key] = was
		}
	}
	m.setEntries(live)
	return seen.Exists()
}

// keysIn gives the keys that the maps name, sorted. The maps must be known; what they hold need not be.
func keysIn(of ...types.Map) (keys []string) {
	for _, m := range of {
		keys = slices.AppendSeq(keys, maps.Keys(m.Elements()))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// entriesFrom converts both maps to entries. A null element becomes the absent entry.
func entriesFrom(textual, encoded types.Map) map[string]cas.Entry {
	entries := map[string]cas.Entry{}
	for key, v := range textual.Elements() {
		entries[key] = entryFrom(stringOf(v), types.StringNull())
	}
	for key, v := range encoded.Elements() {
		entries[key] = entryFrom(types.StringNull(), stringOf(v))
	}
	return entries
}

func stringOf(v attr.Value) types.String {
	if s, ok := v.(types.String); ok {
		return s
	}
	return types.StringNull()
}

// setEntries stores live entries in data and binary_data, and leaves absent ones out.
func (m *dataModel) setEntries(live map[string]cas.Entry) {
	textual, encoded := map[string]attr.Value{}, map[string]attr.Value{}
	for key, e := range live {
		if v, ok := e.Text(); ok {
			textual[key] = types.StringValue(v)
		} else if b, ok := e.Binary(); ok {
			encoded[key] = types.StringValue(base64.StdEncoding.EncodeToString(b))
		}
	}
	m.Data, m.BinaryData = stringMap(textual, m.Data), stringMap(encoded, m.BinaryData)
}

// stringMap is null if there are no values. But an empty map stays one: the configuration may say {}.
func stringMap(values map[string]attr.Value, was types.Map) types.Map {
	switch {
	case len(values) > 0:
		return types.MapValueMust(types.StringType, values)
	case len(was.Elements()) == 0 && !was.IsUnknown():
		return was
	default:
		return types.MapNull(types.StringType)
	}
}
