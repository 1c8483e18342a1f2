// Package adapter has what the resources of ConfigMaps and of Secrets share. A resource translates its model to what package claim does, and
// back: keys.go does that for all resources of keys, whose models are [KeysModel].
package adapter

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Resource is what every resource is that has an identity: it can be imported, and its plans are checked.
type Resource interface {
	resource.ResourceWithConfigure
	resource.ResourceWithIdentity
	resource.ResourceWithImportState
	resource.ResourceWithModifyPlan
}

// Connection links a resource or data source to the configured provider.
type Connection struct {
	Run *claim.Run // nil while a configuration is validated
}

// Configure implements [resource.ResourceWithConfigure].
func (c *Connection) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	resp.Diagnostics.Append(c.Connect(req.ProviderData)...)
}

// Connect stores the provider's data. There is none while a configuration is validated.
func (c *Connection) Connect(providerData any) diag.Diagnostics {
	run, ok := providerData.(*claim.Run)
	if !ok && providerData != nil {
		return diag.Diagnostics{diagnose.TitleUnexpectedError.With(diagnose.Detail(
			fmt.Sprintf("The provider handed over a %T.", providerData), nil, diagnose.Report))}
	}
	c.Run = run
	return nil
}

// Look reads an object for what the configuration calls from. It never reuses an earlier read, since a write may be judged by the result.
func (c *Connection) Look(ctx context.Context, id terms.EntryID, from string, hide diagnose.Hiding, timeout time.Duration) (*cas.Observation, diag.Diagnostics) {
	if !c.Run.Configured() {
		return nil, diag.Diagnostics{diagnose.TitleProviderNotConfigured.With(diagnose.Detail(
			"The provider's configuration is not known yet. Nothing was read.", nil,
			"Add a depends_on to the "+from+" that names what the provider's configuration comes from."))}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	seen, err := c.Run.Engine.Observe(ctx, id.Ref, 0)
	if err != nil {
		return nil, diag.Diagnostics{diagnose.Subject{
			ID: id, Noun: id.Kind.String(), Ways: diagnose.Ways{Grant: "get"}, Op: terms.OpRead, Limit: terms.OpRead, Hide: hide,
		}.Diagnose(err)}
	}
	return seen, nil
}

// Place holds the attributes that all resources share: which ConfigMap, and how to write it.
type Place struct {
	Namespace    types.String   `tfsdk:"namespace"`
	Name         types.String   `tfsdk:"name"`
	FieldManager types.String   `tfsdk:"field_manager"`
	Timeouts     timeouts.Value `tfsdk:"timeouts"`
	ID           types.String   `tfsdk:"id"`
}

// NewPlace is the place of an imported resource.
func NewPlace(ref cas.Ref) Place {
	operations := map[string]attr.Type{}
	for _, operation := range []terms.Operation{terms.OpCreate, terms.OpRead, terms.OpUpdate, terms.OpDelete} {
		operations[string(operation)] = types.StringType
	}
	p := Place{Namespace: types.StringValue(ref.Namespace), Name: types.StringValue(ref.Name)}
	p.Timeouts.Object = types.ObjectNull(operations)
	return p
}

// Ref names the ConfigMap or Secret, whose kind is the resource's.
func (p *Place) Ref() cas.Ref {
	return cas.Ref{Namespace: p.Namespace.ValueString(), Name: p.Name.ValueString()}
}

// RefKnown reports whether namespace and name are known.
func (p *Place) RefKnown() bool { return Known(p.Namespace, p.Name) }

// Observed is the version of the ConfigMap in a state.
type Observed struct {
	ResourceVersion types.String `tfsdk:"resource_version"`
	UID             types.String `tfsdk:"uid"`
}

// Version is the version of the object; not a valid one without a state.
func (o *Observed) Version() cas.Version {
	return cas.Version{UID: o.UID.ValueString(), ResourceVersion: o.ResourceVersion.ValueString()}
}

// SetVersion notes the version of the object.
func (o *Observed) SetVersion(to cas.Version) {
	o.UID, o.ResourceVersion = types.StringValue(to.UID), types.StringValue(to.ResourceVersion)
}

// Known reports whether all values are known.
func Known(values ...types.String) bool {
	for _, v := range values {
		if v.IsUnknown() {
			return false
		}
	}
	return true
}

// Agrees reports whether two values are equal, or may be once the first is known.
func Agrees(value, with types.String) bool { return value.IsUnknown() || value.Equal(with) }

// SchemaCodec makes the codec of a resource's schema when it is first needed.
func SchemaCodec[M any](r resource.Resource) func() *codec.Codec[M] {
	return sync.OnceValue(func() *codec.Codec[M] {
		var resp resource.SchemaResponse
		r.Schema(context.Background(), resource.SchemaRequest{}, &resp)
		return codec.New[M](context.Background(), resp.Schema.Type())
	})
}

// AllKnown reports whether maps and all that they hold are known.
func AllKnown(of ...types.Map) bool {
	for _, m := range of {
		if m.IsUnknown() {
			return false
		}
		for _, v := range m.Elements() {
			if v.IsUnknown() {
				return false
			}
		}
	}
	return true
}

// ListOf is a list of keys.
func ListOf(keys []string) types.List {
	all := make([]attr.Value, len(keys))
	for i, key := range keys {
		all[i] = types.StringValue(key)
	}
	return types.ListValueMust(types.StringType, all)
}
