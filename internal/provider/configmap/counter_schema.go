package configmap

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

func (*counterResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	replaces := []planmodifier.String{stringplanmodifier.RequiresReplace()}
	resp.Schema = schema.Schema{
		MarkdownDescription: "A number that nobody else gets: fetch-and-add on one key of an existing ConfigMap. The key holds the next free " +
			"number. Each resource takes one, in one atomic request, and keeps it. For ports, VLANs, build and migration numbers.",
		Attributes: map[string]schema.Attribute{
			"namespace": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(terms.DefaultNamespace),
				PlanModifiers: replaces, Validators: []validator.String{attributes.ValidNamespace()},
				MarkdownDescription: "Namespace of the ConfigMap. Default: `default`. A change replaces the resource.",
			},
			"name": schema.StringAttribute{
				Required: true, PlanModifiers: replaces, Validators: []validator.String{attributes.ValidName()},
				MarkdownDescription: "Name of the ConfigMap, which must exist when the number is taken. A change replaces the resource.",
			},
			"key": schema.StringAttribute{
				Required: true, PlanModifiers: replaces, Validators: []validator.String{attributes.ValidKey()},
				MarkdownDescription: "Key in the ConfigMap that holds the next free number, as decimal text such as `42` or `-7`. Where it is absent, " +
					"`initial` is the next free number. A change replaces the resource.",
			},
			"initial": schema.Int64Attribute{
				Optional: true, Computed: true, Default: int64default.StaticInt64(0),
				MarkdownDescription: "The first number, which an absent key stands for. Default: `0`. It counts only while the key is absent, and a " +
					"change of it takes no number.",
			},
			"step": schema.Int64Attribute{
				Optional: true, Computed: true, Default: int64default.StaticInt64(1), Validators: []validator.Int64{int64validator.NoneOf(0)},
				MarkdownDescription: "What the key is increased by when a number is taken: any whole number but zero; a negative one counts down. " +
					"Default: `1`. With `10`, a number stands for itself and the nine after it. A change of it takes no number.",
			},
			"triggers": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Arbitrary values that, when they change, have the resource take a new number.",
			},
			"field_manager": schema.StringAttribute{
				Optional: true, Validators: attributes.ValidFieldManager(),
				MarkdownDescription: "Name under which the write is recorded in `managedFields`, with a suffix that is this run's alone. Default: the " +
					"provider's `field_manager`.",
			},
			"timeouts": attributes.WithTimeoutValidators(timeouts.Attributes(ctx, timeouts.Opts{
				Create: true, CreateDescription: "How long taking the number may take, such as `30s` or `2m`. Default: `1m`.",
				Read: true, ReadDescription: "How long the check of a plan may take. Default: `1m`. A refresh makes no request.",
				Update: true, UpdateDescription: "How long taking a new number may take. Default: `1m`.",
			})),
			"id": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "`namespace/name/key`, which all resources have that take numbers of one counter.",
			},
			"value": schema.Int64Attribute{
				Computed:            true,
				MarkdownDescription: "The number that was taken. It stays as it is until `triggers` change, whatever becomes of the key.",
			},
		},
	}
}
