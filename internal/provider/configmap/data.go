package configmap

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

var _ adapter.Movable = (*dataResource)(nil)

// NewData is cas_configmap_data.
func NewData() resource.Resource {
	return &dataResource{adapter.NewData("configmap_data", cas.ConfigMap, dataCodec, "kubernetes_config_map_v1_data")}
}

// dataResource is cas_configmap_data, a resource of many keys. A change of keys is an update of it, and no replace.
type dataResource struct {
	adapter.Data[dataModel, *dataModel]
}

// dataModel is the resource's schema as Go values.
type dataModel struct {
	adapter.DataAttributes
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

func (m *dataModel) SetDefaults() {
	m.DataAttributes.SetDefaults()
	m.HideValues = types.BoolValue(false)
}

// Configure does nothing: a plan has all that Claim needs.
func (*dataModel) Configure(*dataModel) {}

// keys gives the keys of data and binary_data.
func (m *dataMaps) keys() []string { return keysIn(m.Data, m.BinaryData) }

// values are what keys shall hold, expected what they must hold before.
func (m *dataMaps) values() map[string]cas.Entry {
	return adapter.EntriesFrom(cas.ConfigMap, m.Data, m.BinaryData)
}

func (m *dataMaps) expected() map[string]cas.Entry {
	return adapter.EntriesFrom(cas.ConfigMap, m.ExpectedData, m.ExpectedBinaryData)
}

func (m *dataModel) SetID() { m.SetKeys(m.keys()) }

// TakeOver implements [adapter.DataModel].
func (m *dataModel) TakeOver(texts map[string]string) map[string]cas.Entry {
	m.Data = adapter.MapOf(texts)
	m.SetID()
	return m.values()
}

// Claim translates the maps to a claim.
func (m *dataModel) Claim(run *claim.Run) *claim.Claim {
	c := m.NewClaim(m.Ref().String(), m.values(), m.expected())
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
	s := m.Subject(op, diagnose.HideIf(hide), `Apply deletion_policy = "abandon" to the resource that gives the key up. Then set adopt_existing = true or `+
		"expected_data in the one that takes it over.")
	m.describe(&s)
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
	had, live := m.values(), map[string]cas.Entry{}
	for _, key := range seen.Keys {
		live[key] = seen.Entry(key)
		if was, has := had[key]; has && live[key].Holds(was) {
			live[key] = was
		}
	}
	texts, others := adapter.MapsOf(live) // without absent ones
	m.Data, m.BinaryData = mapLike(m.Data, texts), mapLike(m.BinaryData, others)
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

// mapLike is null if there are no values. But an empty map stays one: the configuration may say {}.
func mapLike(was types.Map, values map[string]string) types.Map {
	switch {
	case len(values) > 0:
		return adapter.MapOf(values)
	case len(was.Elements()) == 0 && !was.IsUnknown():
		return was
	default:
		return types.MapNull(types.StringType)
	}
}
