package configmap

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// listModel holds the attributes that all lists share.
type listModel struct {
	Namespace     types.String `tfsdk:"namespace"`
	LabelSelector types.String `tfsdk:"label_selector"`
	FieldSelector types.String `tfsdk:"field_selector"`
	Timeouts      types.Object `tfsdk:"timeouts"`
}

// listAttributes is the schema of listModel, with others added. Not all go with a selector.
func listAttributes(others map[string]schema.Attribute, selectors ...validator.String) map[string]schema.Attribute {
	all := map[string]schema.Attribute{
		"namespace": attributes.OptionalNamespace("ConfigMaps"),
		"label_selector": schema.StringAttribute{
			Optional: true, Validators: append(selectors, attributes.Rule("a label selector", diagnose.TitleInvalidSelector, func(s string) []string {
				_, err := labels.Parse(s)
				return selectorProblems("app=shop", err)
			})),
			MarkdownDescription: "Selects ConfigMaps by their labels, as `kubectl --selector` does, for example `app=shop,tier!=test`. Default: all.",
		},
		"field_selector": schema.StringAttribute{
			Optional: true, Validators: append(selectors, attributes.Rule("a field selector", diagnose.TitleInvalidSelector, func(s string) []string {
				_, err := fields.ParseSelector(s)
				return selectorProblems("metadata.name=settings", err)
			})),
			MarkdownDescription: "Selects ConfigMaps by their fields, as `kubectl --field-selector` does. The API server knows `metadata.name` and " +
				"`metadata.namespace` of ConfigMaps. Default: all.",
		},
		"timeouts": attributes.Timeout("list", "the list"),
	}
	maps.Copy(all, others)
	return all
}

func selectorProblems(example string, err error) []string {
	if err == nil {
		return nil
	}
	return []string{fmt.Sprintf("must be a selector such as %s: %v", example, err)}
}

// selection is what the engine lists.
func (m *listModel) selection() cas.Selection {
	return cas.Selection{Namespace: (&adapter.Named{Namespace: m.Namespace}).RefWithDefault().Namespace, Labels: m.LabelSelector.ValueString(), Fields: m.FieldSelector.ValueString()}
}

// stream streams the results that the function of makes of each object, at most as many as Terraform asks for. A failure is the last result.
func stream(
	ctx context.Context, run *claim.Run, req list.ListRequest, m *listModel, about diagnose.Subject,
	found func(context.Context) iter.Seq2[cas.Listed, error], of func(cas.Listed) iter.Seq[list.ListResult],
) iter.Seq[list.ListResult] {
	timeout, diags := attributes.Limit(ctx, m.Timeouts)
	if !run.Configured() {
		diags.Append(diagnose.TitleProviderNotConfigured.With(diagnose.Detail(
			"The provider's configuration is not known yet. Nothing was listed.", nil, "Give the provider's arguments values that are known.")))
	}
	if diags.HasError() {
		return list.ListResultsStreamDiagnostics(diags)
	}
	about.Op, about.Hide = terms.OpList, diagnose.HideIf(run.Hides(types.BoolNull()))
	return func(push func(list.ListResult) bool) {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		left := req.Limit
		for each, err := range found(ctx) {
			if err != nil {
				push(list.ListResult{Diagnostics: diag.Diagnostics{about.Diagnose(err)}})
				return
			}
			for result := range of(each) {
				if !push(result) {
					return
				}
				if left--; left == 0 {
					return
				}
			}
		}
	}
}

var _ list.ListResourceWithConfigure = (*wholeList)(nil)

// NewConfigMapList is the list cas_configmap.
func NewConfigMapList() list.ListResource {
	return &wholeList{adapter.NewWhole("configmap", cas.ConfigMap, wholeSchema).Keys}
}

// wholeList is the list cas_configmap. What it gives of a ConfigMap is the state of an import.
type wholeList struct {
	adapter.Keys[adapter.Object, *adapter.Object]
}

var wholeListCodec = codec.Of[listModel](wholeListSchema)

func (*wholeList) ListResourceConfigSchema(ctx context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	adapter.Describe(ctx, wholeListSchema, &resp.Schema.MarkdownDescription, &resp.Schema.Attributes)
}

func wholeListSchema(context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Lists the ConfigMaps of a namespace. Needs Terraform 1.14 and the verb `list`.",
		Attributes:          listAttributes(nil),
	}
}

func (l *wholeList) List(ctx context.Context, req list.ListRequest, resp *list.ListResultsStream) {
	m, diags := wholeListCodec().Decode(ctx, req.Config.Raw)
	if diags.HasError() {
		resp.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	selection := m.selection()
	selection.Limit = req.Limit
	about := diagnose.Subject{ID: terms.EntryID{Ref: cas.Ref{Namespace: selection.Namespace}}, Noun: "ConfigMaps", Ways: diagnose.Ways{Grant: "list"}}
	found := func(ctx context.Context) iter.Seq2[cas.Listed, error] { return l.Run.Engine.List(ctx, selection) }
	resp.Results = stream(ctx, l.Run, req, &m, about, found, func(each cas.Listed) iter.Seq[list.ListResult] {
		state := l.Blank(ctx)
		state.SetRef(each.Ref)
		return func(push func(list.ListResult) bool) { push(listed(ctx, &l.Keys, req, state, each.Observation)) }
	})
}

// listed is a result: the state of an import, of which an identity is known, as it finds the object.
func listed[M any, P adapter.KeysModel[M]](ctx context.Context, of *adapter.Keys[M, P], req list.ListRequest, state P, seen *cas.Observation) list.ListResult {
	state.Refresh(&claim.Seen{Observation: seen, IsImport: true}, of.Run)
	state.Shared().SetVersion(seen.Version())
	result := req.NewListResult(ctx)
	result.DisplayName = state.Shared().ID.ValueString()
	result.Diagnostics.Append(state.EncodeIdentity(ctx, &result.Identity.Raw)...)
	if req.IncludeResource {
		result.Diagnostics.Append(of.Codec().Encode(ctx, *state, &result.Resource.Raw)...)
	}
	return result
}

var _ list.ListResourceWithConfigure = (*entryList)(nil)

// NewEntryList is the list cas_configmap_entry.
func NewEntryList() list.ListResource { return &entryList{newEntries()} }

// entryList is the list cas_configmap_entry. What it gives of a key is the state of an import.
type entryList struct {
	adapter.Keys[adapter.EntryModel, *adapter.EntryModel]
}

// entryListModel is the list's schema as Go values.
type entryListModel struct {
	listModel

	Name types.String `tfsdk:"name"`
}

var entryListCodec = codec.Of[entryListModel](entryListSchema)

func (*entryList) ListResourceConfigSchema(ctx context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	adapter.Describe(ctx, entryListSchema, &resp.Schema.MarkdownDescription, &resp.Schema.Attributes)
}

func entryListSchema(context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Lists the keys of one ConfigMap, or of all that selectors find. Needs Terraform 1.14, and the verb `get` for one ConfigMap, " +
			"`list` for several.",
		Attributes: listAttributes(map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Optional: true, Validators: []validator.String{attributes.ValidName(cas.ConfigMap)},
				MarkdownDescription: "Name of the one ConfigMap whose keys to list. It excludes selectors. Default: all ConfigMaps that the selectors find.",
			},
		}, attributes.NotWith("name")),
	}
}

func (l *entryList) List(ctx context.Context, req list.ListRequest, resp *list.ListResultsStream) {
	m, diags := entryListCodec().Decode(ctx, req.Config.Raw)
	if diags.HasError() {
		resp.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	selection := m.selection()
	ref := cas.Ref{Namespace: selection.Namespace, Name: m.Name.ValueString()}
	about := diagnose.Subject{ID: terms.EntryID{Ref: ref}, Noun: "keys", Ways: diagnose.Ways{
		Grant: "list", Missing: "Name a ConfigMap that exists, or use a selector.",
	}}
	found := func(ctx context.Context) iter.Seq2[cas.Listed, error] { return l.Run.Engine.List(ctx, selection) }
	if ref.Name != "" {
		about.Ways.Grant = "get"
		found = func(ctx context.Context) iter.Seq2[cas.Listed, error] { return l.read(ctx, ref) }
	}
	resp.Results = stream(ctx, l.Run, req, &m.listModel, about, found, func(each cas.Listed) iter.Seq[list.ListResult] {
		return func(push func(list.ListResult) bool) {
			for _, key := range slices.Sorted(maps.Keys(each.Entries())) {
				state := l.Blank(ctx)
				state.SetEntry(terms.EntryID{Ref: each.Ref, Key: key})
				if !push(listed(ctx, &l.Keys, req, state, each.Observation)) {
					return
				}
			}
		}
	})
}

// read reads the one ConfigMap.
func (l *entryList) read(ctx context.Context, ref cas.Ref) iter.Seq2[cas.Listed, error] {
	return func(yield func(cas.Listed, error) bool) {
		seen, err := l.Run.Engine.Observe(ctx, ref, 0)
		if err == nil && !seen.Exists() {
			err = &cas.NotFoundError{Ref: ref}
		}
		yield(cas.Listed{Ref: ref, Observation: seen}, err)
	}
}
