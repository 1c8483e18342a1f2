package configmap

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

var _ list.ListResourceWithConfigure = (*wholeList)(nil)

// NewConfigMapList is the list cas_configmap.
func NewConfigMapList() list.ListResource { return &wholeList{newWholeResource()} }

// wholeList is the list cas_configmap. What it gives of a ConfigMap is the state of an import.
type wholeList struct {
	*wholeResource
}

var wholeListCodec = listCodec[listModel](&wholeList{})

// ListResourceConfigSchema implements [list.ListResource].
func (*wholeList) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the ConfigMaps of a namespace. Needs Terraform 1.14 and the verb `list`.",
		Attributes:          listAttributes(nil),
	}
}

// List implements [list.ListResource].
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
		state := l.Imported(ctx, each.Ref, each.Observation)
		result := req.NewListResult(ctx)
		result.DisplayName = each.Ref.String()
		result.Diagnostics.Append(state.Identity().Encode(ctx, &result.Identity.Raw)...)
		if req.IncludeResource {
			result.Diagnostics.Append(wholeCodec().Encode(ctx, *state, &result.Resource.Raw)...)
		}
		return one(result)
	})
}

func one[T any](value T) iter.Seq[T] {
	return func(yield func(T) bool) { yield(value) }
}
