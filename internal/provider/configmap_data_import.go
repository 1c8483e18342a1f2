package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// privateImport holds the keys that an import named, none where it is of all, until the read that follows it.
const privateImport = "import"

func (*configMapDataResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	title, subject, text := diagnose.TitleInvalidImportID, "import id", req.ID
	if req.ID == "" {
		var identity configMapDataIdentity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &identity)...)
		if resp.Diagnostics.HasError() {
			return
		}
		id := terms.DataID{Ref: cas.Ref{Namespace: identity.Namespace.ValueString(), Name: identity.Name.ValueString()}}
		if id.Namespace == "" {
			id.Namespace = terms.DefaultNamespace
		}
		for _, key := range identity.Keys.Elements() {
			id.Keys = append(id.Keys, stringOf(key).ValueString())
		}
		title, subject, text = diagnose.TitleInvalidImportIdentity, "identity", id.String()
	}
	id, err := terms.ParseDataID(text)
	if err != nil {
		resp.Diagnostics.Append(title.With(fmt.Sprintf("The %s %v.", subject, err)))
		return
	}
	state := newDataModel(id)
	resp.Diagnostics.Append(dataIdentityCodec().Encode(ctx, state.identity(), &resp.Identity.Raw)...)
	resp.Diagnostics.Append(dataCodec().Encode(ctx, state, &resp.State.Raw)...)
	resp.Diagnostics.Append(setPrivate(ctx, resp.Private, privateImport, append([]string{}, id.Keys...))...)
}

// newDataModel is the state of a resource of which nothing but its id is known. Every default is set, or the first plan would
// show an update.
func newDataModel(id terms.DataID) configMapDataModel {
	null := types.MapNull(types.StringType)
	m := configMapDataModel{
		Namespace: types.StringValue(id.Namespace), Name: types.StringValue(id.Name), ID: types.StringValue(id.String()),
		Data: null, BinaryData: null, ExpectedData: null, ExpectedBinaryData: null, PreviousData: null,
		ConflictScope: types.StringValue(terms.ScopeObject), DeletionPolicy: types.StringValue(terms.PolicyDelete),
		AdoptExisting: types.BoolValue(false), HideValues: types.BoolValue(false),
	}
	timeouts := map[string]attr.Type{}
	for _, operation := range []terms.Operation{terms.OpCreate, terms.OpRead, terms.OpUpdate, terms.OpDelete} {
		timeouts[string(operation)] = types.StringType
	}
	m.Timeouts.Object = types.ObjectNull(timeouts)
	return m
}

// found takes what an import found for what the resource first found.
func found(ctx context.Context, to privateWriter, seen *cas.Observation, keys []string) diag.Diagnostics {
	first, written := originals{}, digests{}
	for _, key := range keys {
		first[key], written[key] = seen.Entry(key), seen.Entry(key).Digest()
	}
	diags := setPrivate(ctx, to, privateOriginal, first)
	diags.Append(setPrivate(ctx, to, privateWritten, written)...)
	diags.Append(to.SetKey(ctx, privateImport, nil)...)
	return diags
}
