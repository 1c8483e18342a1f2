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
		MarkdownDescription: "Compare-and-swap for Kubernetes ConfigMaps: a value is written only if what it replaces is what was expected.",
		Attributes: map[string]schema.Attribute{
			"host": schema.StringAttribute{
				MarkdownDescription: "URL of the Kubernetes API server, scheme included, such as `https://10.0.0.1:6443`. " +
					"Overrides the server of the kubeconfig. Environment variable: `" + connect.EnvHost + "`.",
				Optional: true,
			},
			"username": schema.StringAttribute{
				MarkdownDescription: "User name for HTTP basic authentication, as an authenticating proxy may ask for: " +
					"kube-apiserver itself has had none since Kubernetes 1.19. Environment variable: `" + connect.EnvUsername + "`.",
				Optional: true,
			},
			"password": schema.StringAttribute{
				MarkdownDescription: "Password for HTTP basic authentication. Environment variable: `" + connect.EnvPassword + "`.",
				Optional:            true,
				Sensitive:           true,
			},
			"token": schema.StringAttribute{
				MarkdownDescription: "Bearer token, such as that of a service account. Conflicts with `username` and `password`. " +
					"Environment variable: `" + connect.EnvToken + "`.",
				Optional:  true,
				Sensitive: true,
				Validators: []validator.String{
					stringvalidator.ConflictsWith(path.MatchRoot("username"), path.MatchRoot("password")),
				},
			},
			"insecure": schema.BoolAttribute{
				MarkdownDescription: "Accept any certificate of the server: anybody in between can then read and change everything. " +
					"Conflicts with `cluster_ca_certificate`. Environment variable: `" + connect.EnvInsecure + "`. Default: `false`.",
				Optional: true,
			},
			"tls_server_name": schema.StringAttribute{
				MarkdownDescription: "Name that the server's certificate must be for, and that is sent as SNI, where it is not the host of the URL. " +
					"Environment variable: `" + connect.EnvTLSServerName + "`.",
				Optional: true,
			},
			"client_certificate": schema.StringAttribute{
				MarkdownDescription: "PEM-encoded client certificate. Needs `client_key`. Environment variable: `" + connect.EnvClientCertificate + "`.",
				Optional:            true,
			},
			"client_key": schema.StringAttribute{
				MarkdownDescription: "PEM-encoded private key of `client_certificate`. Environment variable: `" + connect.EnvClientKey + "`.",
				Optional:            true,
				Sensitive:           true,
			},
			"cluster_ca_certificate": schema.StringAttribute{
				MarkdownDescription: "PEM-encoded certificates of the authorities that may have signed the server's certificate. " +
					"Without it, those of the kubeconfig, else of the system. Environment variable: `" + connect.EnvClusterCACertificate + "`.",
				Optional: true,
			},
			"config_path": schema.StringAttribute{
				MarkdownDescription: "Path of a kubeconfig file; `~` is the home directory. Conflicts with `config_paths`. " +
					"Environment variable: `" + connect.EnvConfigPath + "`.",
				Optional: true,
				Validators: []validator.String{
					stringvalidator.ConflictsWith(path.MatchRoot("config_paths")),
				},
			},
			"config_paths": schema.ListAttribute{
				MarkdownDescription: "Paths of kubeconfig files, merged as `kubectl` merges them: of what several files name, the first counts. " +
					"Each must exist. Environment variable: `" + connect.EnvConfigPaths + "`, separated as in `PATH`; `" + connect.EnvConfigPath + "` wins over it.",
				ElementType: types.StringType,
				Optional:    true,
				Validators:  []validator.List{listvalidator.NoNullValues()},
			},
			"config_context": schema.StringAttribute{
				MarkdownDescription: "Context of the kubeconfig to use, instead of its current one. Environment variable: `" + connect.EnvContext + "`.",
				Optional:            true,
			},
			"config_context_auth_info": schema.StringAttribute{
				MarkdownDescription: "User of the kubeconfig to use, instead of the context's. Environment variable: `" + connect.EnvContextAuthInfo + "`.",
				Optional:            true,
			},
			"config_context_cluster": schema.StringAttribute{
				MarkdownDescription: "Cluster of the kubeconfig to use, instead of the context's. Environment variable: `" + connect.EnvContextCluster + "`.",
				Optional:            true,
			},
			"proxy_url": schema.StringAttribute{
				MarkdownDescription: "URL of a proxy for all requests; its scheme is `http`, `https` or `socks5`. Overrides the kubeconfig's. " +
					"Without either, `HTTPS_PROXY` and its like count. Environment variable: `" + connect.EnvProxyURL + "`.",
				Optional: true,
			},
			"qps": schema.Float64Attribute{
				MarkdownDescription: "Most requests a second, on average. Default: no limit on this side; the server's own flow control is obeyed.",
				Optional:            true,
				Validators:          []validator.Float64{float64validator.AtLeast(0.01)},
			},
			"burst_limit": schema.Int64Attribute{
				MarkdownDescription: "Most requests at once, above the average of `qps`, which it needs. Default: `10`.",
				Optional:            true,
				Validators: []validator.Int64{
					int64validator.Between(1, 1_000_000),
					int64validator.AlsoRequires(path.MatchRoot("qps")),
				},
			},
			"field_manager": schema.StringAttribute{
				MarkdownDescription: "Name under which writes are recorded in the object's `managedFields`. Default: `" + defaultFieldManager + "`.",
				Optional:            true,
				Validators:          attributes.ValidFieldManager(),
			},
			"hide_values": schema.BoolAttribute{
				MarkdownDescription: "Hide values as `hide_value` does, for all resources: diagnostics show lengths and digests instead. Default: `false`.",
				Optional:            true,
			},
			"plan_check": schema.StringAttribute{
				MarkdownDescription: "What a check that fails while planning is: `error`; `warning`; or `off`, which makes no request for the check. " +
					"Apply checks regardless. Environment variable: `" + terms.EnvPlanCheck + "`. Default: `error`.",
				Optional: true,
				Validators: []validator.String{
					stringvalidator.OneOf(string(terms.PlanCheckError), string(terms.PlanCheckWarning), string(terms.PlanCheckOff)),
				},
			},
			"ignore_labels": schema.ListAttribute{
				MarkdownDescription: "Regular expressions (RE2). A label of which one matches any part of the key is left alone by `cas_configmap` unless the " +
					"resource's `labels` name it: not read into the state, no drift, never removed.",
				ElementType: types.StringType,
				Optional:    true,
				Validators:  []validator.List{listvalidator.NoNullValues(), listvalidator.ValueStringsAre(attributes.ValidExpression())},
			},
			"ignore_annotations": schema.ListAttribute{
				MarkdownDescription: "Regular expressions (RE2) for the keys of annotations, as `ignore_labels` is for those of labels.",
				ElementType:         types.StringType,
				Optional:            true,
				Validators:          []validator.List{listvalidator.NoNullValues(), listvalidator.ValueStringsAre(attributes.ValidExpression())},
			},
			"plan_dry_run": schema.BoolAttribute{
				MarkdownDescription: "Send the very write that apply would send while planning, as a server-side dry run, so that what the API server " +
					"would refuse fails the plan: for want of a permission, by an admission policy or a quota. What `plan_check` says goes for it too. " +
					"Planning then needs the permission to write. Environment variable: `" + terms.EnvPlanDryRun + "`. Default: `false`.",
				Optional: true,
			},
		},
		Blocks: map[string]schema.Block{
			"exec": execBlock(),
		},
	}
}

func execBlock() schema.ListNestedBlock {
	return schema.ListNestedBlock{
		MarkdownDescription: "A command that prints credentials, as the " +
			"[credential plugins](https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins) of `kubectl` do. " +
			"Conflicts with every other credential.",
		Validators: []validator.List{
			listvalidator.SizeAtMost(1),
			listvalidator.ConflictsWith(
				path.MatchRoot("token"), path.MatchRoot("username"), path.MatchRoot("password"),
				path.MatchRoot("client_certificate"), path.MatchRoot("client_key"),
			),
		},
		NestedObject: schema.NestedBlockObject{
			Attributes: map[string]schema.Attribute{
				"api_version": schema.StringAttribute{
					MarkdownDescription: "Version of the API that the command speaks: `client.authentication.k8s.io/v1` or `client.authentication.k8s.io/v1beta1`.",
					Required:            true,
					Validators: []validator.String{
						stringvalidator.OneOf("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"),
					},
				},
				"command": schema.StringAttribute{
					MarkdownDescription: "The command: a path, or a name that is looked up in `PATH`.",
					Required:            true,
					Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
				},
				"args": schema.ListAttribute{
					MarkdownDescription: "Its arguments.",
					ElementType:         types.StringType,
					Optional:            true,
					Validators:          []validator.List{listvalidator.NoNullValues()},
				},
				"env": schema.MapAttribute{
					MarkdownDescription: "Environment variables that it gets besides those of Terraform.",
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
