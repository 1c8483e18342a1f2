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
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/keys"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/resource"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// listModel is the schema of a list as Go values.
type listModel struct {
	Namespace     types.String `tfsdk:"namespace"`
	Name          types.String `tfsdk:"name,optional"`
	LabelSelector types.String `tfsdk:"label_selector"`
	FieldSelector types.String `tfsdk:"field_selector"`
	Timeouts      types.Object `tfsdk:"timeouts"`
}

// listSchema is the schema of a list: the attributes that all lists share, and others. Not all go with a selector.
func listSchema(description string, others map[string]schema.Attribute, selectors ...validator.String) schema.Schema {
	all := map[string]schema.Attribute{
		"namespace": attributes.OptionalNamespace("ConfigMaps"),
		"label_selector": schema.StringAttribute{
			Optional: true,
			Validators: append(selectors, attributes.Rule("a label selector", message.InvalidSelector, func(s string) []string {
				_, err := labels.Parse(s)
				return selectorProblems("app=shop", err)
			})),
			MarkdownDescription: "Selects ConfigMaps by their labels, as `kubectl --selector` does, for example " +
				"`app=shop,tier!=test`. Default: all.",
		},
		"field_selector": schema.StringAttribute{
			Optional: true,
			Validators: append(selectors, attributes.Rule("a field selector", message.InvalidSelector, func(s string) []string {
				_, err := fields.ParseSelector(s)
				return selectorProblems("metadata.name=settings", err)
			})),
			MarkdownDescription: "Selects ConfigMaps by their fields, as `kubectl --field-selector` does. The API server " +
				"knows `metadata.name` and `metadata.namespace` of ConfigMaps. Default: all.",
		},
		"timeouts": attributes.Timeout("list", "the list"),
	}
	maps.Copy(all, others)
	return schema.Schema{MarkdownDescription: description, Attributes: all}
}

func selectorProblems(example string, err error) []string {
	if err == nil {
		return nil
	}
	return []string{fmt.Sprintf("must be a selector such as %s: %v", example, err)}
}

// keysList is a list. It returns the state of an import for each ConfigMap, or for each key.
type keysList[M any] struct {
	*resource.Resource[M]

	isWhole    bool // of ConfigMaps
	noun       string
	definition func(context.Context) schema.Schema
	codec      func() *codec.Codec[listModel]
}

var (
	_ list.ListResourceWithConfigure = (*keysList[keys.WholeModel])(nil)

	wholeListCodec = codec.Of[listModel](wholeListSchema)
	entryListCodec = codec.Of[listModel](entryListSchema)
)

// NewConfigMapList is the list cas_configmap.
func NewConfigMapList() list.ListResource {
	return &keysList[keys.WholeModel]{
		Resource: keys.NewWhole("configmap", eval.ConfigMap, wholeSchema), isWhole: true, noun: "ConfigMaps",
		definition: wholeListSchema, codec: wholeListCodec,
	}
}

func wholeListSchema(context.Context) schema.Schema {
	return listSchema("Lists the ConfigMaps of a namespace. Needs Terraform 1.14 and the verb `list`.", nil)
}

// NewEntryList is the list cas_configmap_entry.
func NewEntryList() list.ListResource {
	return &keysList[keys.EntryModel]{
		Resource: newEntry(), noun: "keys", definition: entryListSchema, codec: entryListCodec,
	}
}

func entryListSchema(context.Context) schema.Schema {
	return listSchema("Lists the keys of one ConfigMap, or of all that selectors find. Needs Terraform 1.14, and the "+
		"verb `get` for one ConfigMap, `list` for several.", map[string]schema.Attribute{
		"name": schema.StringAttribute{
			Optional: true, Validators: []validator.String{attributes.ValidName(eval.ConfigMap)},
			MarkdownDescription: "Name of the one ConfigMap whose keys to list. It excludes selectors. Default: all " +
				"ConfigMaps that the selectors find.",
		},
	}, attributes.NotWith("name"))
}

func (l *keysList[M]) ListResourceConfigSchema(
	ctx context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse,
) {
	resource.Describe(ctx, l.definition, &resp.Schema.MarkdownDescription, &resp.Schema.Attributes)
}

// List streams what there is, at most as many as Terraform asks for. A failure is the last result.
func (l *keysList[M]) List(ctx context.Context, req list.ListRequest, resp *list.ListResultsStream) {
	m, diags := l.codec().Decode(ctx, req.Config.Raw)
	timeout, more := attributes.Limit(ctx, m.Timeouts)
	if diags.Append(more...); !l.Session.Configured() {
		diags.Append(message.ProviderNotConfigured.With(message.Detail(
			"The provider's configuration is not known yet. Nothing was listed.", nil,
			"Give the provider's arguments values that are known.")))
	}
	if diags.HasError() {
		resp.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	ref := (&resource.Named{Namespace: m.Namespace, Name: m.Name}).RefWithDefault()
	selection := cas.Selection{
		Namespace: ref.Namespace, Labels: m.LabelSelector.ValueString(),
		Fields: m.FieldSelector.ValueString(),
	}
	if l.isWhole {
		selection.Limit = req.Limit
	}
	about := message.Subject{
		ID: terms.EntryID{Ref: ref}, Noun: l.noun, Op: terms.OpList, Hide: message.HideIf(l.Session.Hides(types.BoolNull())),
		Ways: message.Ways{Grant: "list", Missing: "Name a ConfigMap that exists, or use a selector."},
	}
	found := func(ctx context.Context) iter.Seq2[cas.Listed, error] { return l.Session.Engine.List(ctx, selection) }
	if ref.Name != "" {
		about.Ways.Grant = "get"
		found = func(ctx context.Context) iter.Seq2[cas.Listed, error] { return l.read(ctx, ref) }
	}
	resp.Results = func(push func(list.ListResult) bool) {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		left := req.Limit
		for each, err := range found(ctx) {
			if err != nil {
				push(list.ListResult{Diagnostics: diag.Diagnostics{about.Diagnose(err)}})
				return
			}
			for _, id := range l.ids(each) {
				if !push(l.result(ctx, req, id, each.Snapshot)) {
					return
				}
				if left--; left == 0 {
					return
				}
			}
		}
	}
}

// read reads the one ConfigMap.
func (l *keysList[M]) read(ctx context.Context, ref eval.Ref) iter.Seq2[cas.Listed, error] {
	return func(yield func(cas.Listed, error) bool) {
		seen, err := l.Session.Engine.Observe(ctx, ref, "", 0)
		if err == nil && !seen.Exists() {
			err = &eval.NotFoundError{Ref: ref}
		}
		yield(cas.Listed{Ref: ref, Snapshot: seen}, err)
	}
}

// ids name what is listed of a ConfigMap: itself, or its keys.
func (l *keysList[M]) ids(of cas.Listed) (all []terms.EntryID) {
	if l.isWhole {
		return []terms.EntryID{{Ref: of.Ref}}
	}
	for _, key := range slices.Sorted(maps.Keys(of.Entries())) {
		all = append(all, terms.EntryID{Ref: of.Ref, Key: key})
	}
	return all
}

func (l *keysList[M]) result(
	ctx context.Context, req list.ListRequest, id terms.EntryID, seen *eval.Snapshot,
) list.ListResult {
	result := req.NewListResult(ctx)
	state, err := l.Found(ctx, resource.Identity{
		Namespace: types.StringValue(id.Namespace), Name: types.StringValue(id.Name), Key: types.StringValue(id.Key),
	}, seen)
	if err != nil { // the API server has the object, so its names are valid
		result.Diagnostics.Append(resource.InvalidImportID(err))
		return result
	}
	result.DisplayName = l.ID(state)
	result.Diagnostics.Append(l.EncodeIdentity(ctx, state, &result.Identity.Raw)...)
	if req.IncludeResource {
		result.Diagnostics.Append(l.Codec().Encode(ctx, *state, &result.Resource.Raw)...)
	}
	return result
}
