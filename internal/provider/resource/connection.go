package resource

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
)

// Checked is the interface of all resources of the provider: their plans are checked.
type Checked interface {
	fwresource.ResourceWithConfigure
	fwresource.ResourceWithModifyPlan
}

// Connection links a resource or data source to the configured provider.
type Connection struct {
	Session *session.Session // nil while a configuration is validated
}

// Configure implements [fwresource.ResourceWithConfigure].
func (c *Connection) Configure(_ context.Context, req fwresource.ConfigureRequest, resp *fwresource.ConfigureResponse) {
	resp.Diagnostics.Append(c.Connect(req.ProviderData)...)
}

// Connect stores the provider's data. There is none while a configuration is validated.
func (c *Connection) Connect(providerData any) diag.Diagnostics {
	configured, ok := providerData.(*session.Session)
	if !ok && providerData != nil {
		return diag.Diagnostics{message.UnexpectedError.With(message.Detail(
			fmt.Sprintf("The provider handed over a %T.", providerData), nil, message.Report))}
	}
	c.Session = configured
	return nil
}

// Type describes a type of resources, data sources, actions or lists.
type Type struct {
	Connection

	Name       string // without the name of the provider: "configmap_entry"
	Kind       eval.Kind
	Definition func(context.Context) schema.Schema
	IsOfFields bool   // of objects of any kind
	IsWhole    bool   // of whole objects
	ImportForm string // the form of an import id; empty for a type that cannot be imported

	MutableIdentity bool // an update may change what the identity names
}

// Metadata implements [fwresource.Resource].
func (t *Type) Metadata(_ context.Context, req fwresource.MetadataRequest, resp *fwresource.MetadataResponse) {
	resp.TypeName, resp.ResourceBehavior.MutableIdentity = req.ProviderTypeName+"_"+t.Name, t.MutableIdentity
}

// Recall returns the memory of a resource of this type.
func (t *Type) Recall(ctx context.Context, from Private, diags *diag.Diagnostics) *Memory {
	m, more := Recall(ctx, from, t.Kind)
	diags.Append(more...)
	return m
}

// Planning puts the defaults of the provider block into a plan. It returns the checks of the plan, and the memory of
// the resource.
func (t *Type) Planning(
	ctx context.Context, req *fwresource.ModifyPlanRequest, resp *fwresource.ModifyPlanResponse,
) (session.Plan, *Memory) {
	t.setDefaults(req, resp)
	plan := t.Session.Planning(req.ClientCapabilities.DeferralAllowed)
	return plan, t.Recall(ctx, resp.Private, &resp.Diagnostics)
}

// Schema implements [fwresource.Resource].
func (t *Type) Schema(ctx context.Context, _ fwresource.SchemaRequest, resp *fwresource.SchemaResponse) {
	resp.Schema = t.Definition(ctx)
}

// Describe puts a definition into the schema of a data source, an ephemeral resource or an action. The framework has
// other types for such a schema, but accepts the attributes of a resource.
func Describe[A any](
	ctx context.Context, definition func(context.Context) schema.Schema, description *string, attributes *map[string]A,
) {
	s := definition(ctx)
	*description, *attributes = s.MarkdownDescription, map[string]A{}
	for name, attribute := range s.Attributes {
		(*attributes)[name], _ = attribute.(A)
	}
}

// Modeled is a type with the codec of its model.
type Modeled[M any] struct {
	Type

	Codec func() *codec.Codec[M]
}

// codecs has the codecs by the name and the model of a type. The framework makes a new Type for each call, and making a
// codec takes longer than using it.
var codecs sync.Map

type codecID struct {
	name  string
	model reflect.Type
}

// codecOf returns the codec of a type.
func codecOf[M any, S codec.Schema](name string, definition func(context.Context) S) func() *codec.Codec[M] {
	made := codec.Of[M](definition)
	had, _ := codecs.LoadOrStore(codecID{name, reflect.TypeFor[M]()}, made)
	if known, ok := had.(func() *codec.Codec[M]); ok {
		return known
	}
	return made
}

// NewModeled returns a type with a codec.
func NewModeled[M any](name string, kind eval.Kind, definition func(context.Context) schema.Schema) Modeled[M] {
	return Modeled[M]{Type{Name: name, Kind: kind, Definition: definition}, codecOf[M](name, definition)}
}

// Decode returns the model of a configuration, a plan or a state.
func (t *Modeled[M]) Decode(ctx context.Context, raw tftypes.Value, diags *diag.Diagnostics) *M {
	m, more := t.Codec().Decode(ctx, raw)
	diags.Append(more...)
	return &m
}
