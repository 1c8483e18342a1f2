package configmap

import (
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

var _ list.ListResourceWithConfigure = (*entryList)(nil)

// NewEntryList is the list cas_configmap_entry.
func NewEntryList() list.ListResource { return &entryList{newEntryResource()} }

// entryList is the list cas_configmap_entry. What it gives of a key is the state of an import.
type entryList struct {
	*entryResource
}

// entryListModel is the list's schema as Go values.
type entryListModel struct {
	listModel

	Name types.String `tfsdk:"name"`
}

var entryListCodec = listCodec[entryListModel](&entryList{})

// ListResourceConfigSchema implements [list.ListResource].
func (*entryList) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the keys of one ConfigMap, or of all that selectors find. Needs Terraform 1.14, and the verb `get` for one ConfigMap, " +
			"`list` for several.",
		Attributes: listAttributes(map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Optional: true, Validators: []validator.String{attributes.ValidName(cas.ConfigMap)},
				MarkdownDescription: "Name of the one ConfigMap whose keys to list. It excludes selectors. Default: all ConfigMaps that the selectors find.",
			},
		}, stringvalidator.ConflictsWith(path.MatchRoot("name"))),
	}
}

// List implements [list.ListResource].
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
				state.Refresh(&claim.Seen{Observation: each.Observation})
				state.SetVersion(each.Version())
				result := req.NewListResult(ctx)
				result.DisplayName = state.ID.ValueString()
				result.Diagnostics.Append(state.EncodeIdentity(ctx, &result.Identity.Raw)...)
				if req.IncludeResource {
					result.Diagnostics.Append(entryCodec().Encode(ctx, *state, &result.Resource.Raw)...)
				}
				if !push(result) {
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
