// Package adapter has the code that the resources of ConfigMaps and of Secrets share. A resource translates its model
// to a claim of package claim, and back. keys.go does so for all resources of keys and of whole objects. Their models
// are [KeysModel]: entry.go, data.go and object.go. found.go reads for data sources and ephemeral resources.
package adapter

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
)

// Checked is a resource whose plans are checked: all of them are.
type Checked interface {
	resource.ResourceWithConfigure
	resource.ResourceWithModifyPlan
}

// Resource is a resource with an identity: it can be imported, and its configuration is validated.
type Resource interface {
	Checked
	resource.ResourceWithIdentity
	resource.ResourceWithImportState
	resource.ResourceWithValidateConfig
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

// Type is a type of resources, data sources, actions or lists.
type Type struct {
	Connection

	Name       string // as it follows the provider's: "configmap_entry"
	Kind       eval.Kind
	Definition func(context.Context) schema.Schema
	IsOfFields bool   // of objects of any kind
	IsWhole    bool   // of whole objects
	ImportForm string // the form of an import id; empty for a type that cannot be imported

	MutableIdentity bool // an update may change what the identity names
}

// Metadata implements [resource.Resource].
func (t *Type) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName, resp.ResourceBehavior.MutableIdentity = req.ProviderTypeName+"_"+t.Name, t.MutableIdentity
}

// Recall gives what is known of a resource beside its state.
func (t *Type) Recall(ctx context.Context, from claim.Private, diags *diag.Diagnostics) *claim.Memory {
	m, more := claim.Recall(ctx, from, t.Kind)
	diags.Append(more...)
	return m
}

// Planning is the context of a plan's checks, and what is known of the resource.
func (t *Type) Planning(ctx context.Context, req *resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) (context.Context, *claim.Memory) {
	t.setDefaults(req, resp)
	return t.Run.Planning(ctx, req), t.Recall(ctx, resp.Private, &resp.Diagnostics)
}

// Schema implements [resource.Resource].
func (t *Type) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = t.Definition(ctx)
}

// Describe puts a definition into a schema that is not of a resource. The framework has types of its own for it, and takes the attributes of any other.
func Describe[A any](ctx context.Context, of func(context.Context) schema.Schema, description *string, attributes *map[string]A) {
	s := of(ctx)
	*description, *attributes = s.MarkdownDescription, map[string]A{}
	for name, attribute := range s.Attributes {
		(*attributes)[name], _ = attribute.(A)
	}
}

// Modeled is a type with its schema as Go values.
type Modeled[M any] struct {
	Type

	Codec func() *codec.Codec[M]
}

// codecs has what [codec.Of] gives, by the name and the model of a type: the framework makes a new type for each call, and to make its codec takes longer
// than to use it.
var codecs sync.Map

type codecID struct {
	name  string
	model reflect.Type
}

// NewModeled is a type. Its name follows the provider's.
func NewModeled[M any](name string, kind eval.Kind, definition func(context.Context) schema.Schema) Modeled[M] {
	t := Modeled[M]{Type{Name: name, Kind: kind, Definition: definition}, codec.Of[M](definition)}
	had, _ := codecs.LoadOrStore(codecID{name, reflect.TypeFor[M]()}, t.Codec)
	if of, ok := had.(func() *codec.Codec[M]); ok {
		t.Codec = of
	}
	return t
}

// Decode is the model of a configuration, a plan or a state.
func (t *Modeled[M]) Decode(ctx context.Context, raw tftypes.Value, diags *diag.Diagnostics) *M {
	m, more := t.Codec().Decode(ctx, raw)
	diags.Append(more...)
	return &m
}
