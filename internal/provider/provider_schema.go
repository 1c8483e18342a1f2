package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/float64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/connect"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

func providerSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Compare-and-swap for Kubernetes ConfigMaps: writes a value only if the current value is the " +
			"expected one.",
		Attributes: map[string]schema.Attribute{
			"host": argument(connect.EnvHost, "URL of the Kubernetes API server with its scheme, such as "+
				"`https://10.0.0.1:6443`. Overrides the server of the kubeconfig."),
			"token": sensitive(argument(connect.EnvToken, "Bearer token, for example of a service account.")),
			"insecure": flag("Accept any server certificate. Anybody on the network path can then read and change everything. " +
				"Conflicts with `cluster_ca_certificate`. Environment variable: `" + connect.EnvInsecure + "`."),
			"tls_server_name": argument(connect.EnvTLSServerName,
				"Name for SNI and for the check of the server's certificate. Default: the host of the URL."),
			"client_certificate": argument(connect.EnvClientCertificate, "PEM-encoded client certificate. Needs `client_key`."),
			"client_key":         sensitive(argument(connect.EnvClientKey, "PEM-encoded private key of `client_certificate`.")),
			"cluster_ca_certificate": argument(connect.EnvClusterCACertificate, "PEM-encoded CA certificates that verify the "+
				"server. Default: the certificates of the kubeconfig, else of the system."),
			"config_path": argument(connect.EnvConfigPath,
				"Path of a kubeconfig file; `~` is the home directory. Conflicts with `config_paths`.",
				stringvalidator.ConflictsWith(path.MatchRoot("config_paths"))),
			"config_paths": textList("Paths of kubeconfig files. The provider merges them like `kubectl`: the first file that " +
				"sets a value wins. Each must exist. Environment variable: " +
				"`" + connect.EnvConfigPaths + "`, separated as in `PATH`; `" + connect.EnvConfigPath + "` wins."),
			"config_context": argument(connect.EnvContext, "Context of the kubeconfig. Default: its current context."),
			"config_context_auth_info": argument(connect.EnvContextAuthInfo,
				"User of the kubeconfig. Default: the user of the context."),
			"config_context_cluster": argument(connect.EnvContextCluster,
				"Cluster of the kubeconfig. Default: the cluster of the context."),
			"proxy_url": argument(connect.EnvProxyURL, "URL of a proxy for all requests, with the scheme `http`, `https` or "+
				"`socks5`. Default: the proxy of the kubeconfig, else `HTTPS_PROXY` and `NO_PROXY`."),
			"qps": schema.Float64Attribute{
				CustomType: attributes.Decimal{},
				MarkdownDescription: "Maximum average requests per second. Default: no limit; the provider obeys the server's " +
					"flow control.",
				Optional:   true,
				Validators: []validator.Float64{float64validator.AtLeast(0.01)},
			},
			"burst_limit": schema.Int64Attribute{
				CustomType:          attributes.WholeNumber{},
				MarkdownDescription: "Maximum burst of requests above `qps`. Needs `qps`. Default: `10`.",
				Optional:            true,
				Validators: []validator.Int64{
					int64validator.Between(1, 1_000_000),
					int64validator.AlsoRequires(path.MatchRoot("qps")),
				},
			},
			"field_manager": schema.StringAttribute{
				MarkdownDescription: "Name of this writer in `managedFields`. Give each pipeline a name of its own. Default: `" +
					terms.DefaultFieldManager + "`.",
				Optional:   true,
				Validators: attributes.ValidFieldManager(),
			},
			"hide_values": flag("Show lengths and SHA-256 digests instead of values in the diagnostics of all resources."),
			"plan_check": choice("What happens if a check at plan fails: `error` stops the plan, `warning` only warns, `off` "+
				"skips the check. An apply always checks. Environment variable: `"+terms.EnvPlanCheck+"`. Default: `error`.",
				string(terms.PlanCheckError), string(terms.PlanCheckWarning), string(terms.PlanCheckOff)),
			"plan_dry_run": flag("Send each write at plan as a server-side dry run. The plan then fails if the API server " +
				"would refuse the write, for example because of a missing permission, an admission policy or a quota. " +
				"`plan_check` also applies to dry runs. The plan needs the permission to write. Environment variable: " +
				"`" + terms.EnvPlanDryRun + "`."),
			"defaults": schema.SingleNestedAttribute{
				MarkdownDescription: "Defaults for attributes that a resource does not set. The values must be " +
					"known at plan.",
				Optional: true,
				Attributes: map[string]schema.Attribute{
					terms.ConflictScope: choice("`conflict_scope` of all resources that have it: `object` or `key`. For "+
						"`cas_object_fields` and `cas_configmap_document`, `key` means `field`.", terms.ScopeObject, terms.ScopeKey),
					terms.DeletionPolicy: choice("`deletion_policy` of all resources that have it: `release` (default), `delete`, "+
						"`restore` or `abandon`. `cas_configmap` and resources of Secrets do not support `restore`: if it is the "+
						"default, each must set another policy.",
						terms.PolicyRelease, terms.PolicyDelete, terms.PolicyRestore, terms.PolicyAbandon),
					terms.OnDrift: choice("`on_drift` of all resources that have it: `error` (default) or `overwrite`.",
						terms.DriftError, terms.DriftOverwrite),
				},
			},
		},
		Blocks: map[string]schema.Block{
			"exec": execBlock(),
		},
	}
}

// argument is a text that an environment variable may give as well.
func argument(env, description string, validators ...validator.String) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, Validators: validators, MarkdownDescription: description + " Environment variable: `" + env + "`.",
	}
}

// choice is a text that is one of the values.
func choice(description string, values ...string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional: true, MarkdownDescription: description,
		Validators: []validator.String{stringvalidator.OneOf(values...)},
	}
}

// sensitive keeps an argument out of the output of Terraform.
func sensitive(a schema.StringAttribute) schema.StringAttribute {
	a.Sensitive = true
	return a
}

// flag is false by default.
func flag(description string) schema.BoolAttribute {
	return schema.BoolAttribute{Optional: true, MarkdownDescription: description + " Default: `false`."}
}

func textList(description string, validators ...validator.List) schema.ListAttribute {
	return schema.ListAttribute{
		Optional: true, ElementType: types.StringType, MarkdownDescription: description,
		Validators: append([]validator.List{listvalidator.NoNullValues()}, validators...),
	}
}

func execBlock() schema.ListNestedBlock {
	return schema.ListNestedBlock{
		MarkdownDescription: "Command that prints credentials: a " +
			"[credential " +
			"plugin](https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins). " +
			"Conflicts with every other credential.",
		Validators: []validator.List{
			listvalidator.SizeAtMost(1),
			listvalidator.ConflictsWith(
				path.MatchRoot("token"), path.MatchRoot("client_certificate"), path.MatchRoot("client_key"),
			),
		},
		NestedObject: schema.NestedBlockObject{
			Attributes: map[string]schema.Attribute{
				"api_version": required("API version of the command: `client.authentication.k8s.io/v1` or "+
					"`client.authentication.k8s.io/v1beta1`.",
					stringvalidator.OneOf("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")),
				"command": required("The command: a path, or a name in `PATH`.", stringvalidator.LengthAtLeast(1)),
				"args":    textList("Arguments of the command."),
				"env": schema.MapAttribute{
					MarkdownDescription: "Environment variables for the command, added to Terraform's environment.",
					ElementType:         types.StringType,
					Optional:            true,
					Sensitive:           true,
					Validators: []validator.Map{
						mapvalidator.NoNullValues(),
						mapvalidator.KeysAre(stringvalidator.LengthAtLeast(1)),
					},
				},
			},
		},
	}
}

func required(description string, valid validator.String) schema.StringAttribute {
	return schema.StringAttribute{Required: true, Validators: []validator.String{valid}, MarkdownDescription: description}
}
