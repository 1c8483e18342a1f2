package provider

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework-validators/float64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The environment variables of hashicorp/kubernetes, and two of our own.
const (
	envHost                 = "KUBE_HOST"
	envUsername             = "KUBE_USER"
	envPassword             = "KUBE_PASSWORD"
	envToken                = "KUBE_TOKEN"
	envInsecure             = "KUBE_INSECURE"
	envTLSServerName        = "KUBE_TLS_SERVER_NAME"
	envClientCertificate    = "KUBE_CLIENT_CERT_DATA"
	envClientKey            = "KUBE_CLIENT_KEY_DATA"
	envClusterCACertificate = "KUBE_CLUSTER_CA_CERT_DATA"
	envConfigPath           = "KUBE_CONFIG_PATH"
	envConfigPaths          = "KUBE_CONFIG_PATHS"
	envContext              = "KUBE_CTX"
	envContextAuthInfo      = "KUBE_CTX_AUTH_INFO"
	envContextCluster       = "KUBE_CTX_CLUSTER"
	envProxyURL             = "KUBE_PROXY_URL"
	envPlanCheck            = "CAS_PLAN_CHECK"
	envPlanDryRun           = "CAS_PLAN_DRY_RUN"
)

type providerModel struct {
	Host                  types.String  `tfsdk:"host"`
	Username              types.String  `tfsdk:"username"`
	Password              types.String  `tfsdk:"password"`
	Token                 types.String  `tfsdk:"token"`
	Insecure              types.Bool    `tfsdk:"insecure"`
	TLSServerName         types.String  `tfsdk:"tls_server_name"`
	ClientCertificate     types.String  `tfsdk:"client_certificate"`
	ClientKey             types.String  `tfsdk:"client_key"`
	ClusterCACertificate  types.String  `tfsdk:"cluster_ca_certificate"`
	ConfigPath            types.String  `tfsdk:"config_path"`
	ConfigPaths           types.List    `tfsdk:"config_paths"`
	ConfigContext         types.String  `tfsdk:"config_context"`
	ConfigContextAuthInfo types.String  `tfsdk:"config_context_auth_info"`
	ConfigContextCluster  types.String  `tfsdk:"config_context_cluster"`
	ProxyURL              types.String  `tfsdk:"proxy_url"`
	QPS                   types.Float64 `tfsdk:"qps"`
	BurstLimit            types.Int64   `tfsdk:"burst_limit"`
	FieldManager          types.String  `tfsdk:"field_manager"`
	HideValues            types.Bool    `tfsdk:"hide_values"`
	PlanCheck             types.String  `tfsdk:"plan_check"`
	IgnoreLabels          types.List    `tfsdk:"ignore_labels"`
	IgnoreAnnotations     types.List    `tfsdk:"ignore_annotations"`
	PlanDryRun            types.Bool    `tfsdk:"plan_dry_run"`
	Exec                  types.List    `tfsdk:"exec"`
}

type execModel struct {
	APIVersion types.String `tfsdk:"api_version"`
	Command    types.String `tfsdk:"command"`
	Args       types.List   `tfsdk:"args"`
	Env        types.Map    `tfsdk:"env"`
}

func providerSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Compare-and-swap for Kubernetes ConfigMaps: a value is written only if what it replaces is what was expected.",
		Attributes: map[string]schema.Attribute{
			"host": schema.StringAttribute{
				MarkdownDescription: "URL of the Kubernetes API server, scheme included, such as `https://10.0.0.1:6443`. " +
					"Overrides the server of the kubeconfig. Environment variable: `" + envHost + "`.",
				Optional: true,
			},
			"username": schema.StringAttribute{
				MarkdownDescription: "User name for HTTP basic authentication, as an authenticating proxy may ask for: " +
					"kube-apiserver itself has had none since Kubernetes 1.19. Environment variable: `" + envUsername + "`.",
				Optional: true,
			},
			"password": schema.StringAttribute{
				MarkdownDescription: "Password for HTTP basic authentication. Environment variable: `" + envPassword + "`.",
				Optional:            true,
				Sensitive:           true,
			},
			"token": schema.StringAttribute{
				MarkdownDescription: "Bearer token, such as that of a service account. Conflicts with `username` and `password`. " +
					"Environment variable: `" + envToken + "`.",
				Optional:  true,
				Sensitive: true,
				Validators: []validator.String{
					stringvalidator.ConflictsWith(path.MatchRoot("username"), path.MatchRoot("password")),
				},
			},
			"insecure": schema.BoolAttribute{
				MarkdownDescription: "Accept any certificate of the server: anybody in between can then read and change everything. " +
					"Conflicts with `cluster_ca_certificate`. Environment variable: `" + envInsecure + "`. Default: `false`.",
				Optional: true,
			},
			"tls_server_name": schema.StringAttribute{
				MarkdownDescription: "Name that the server's certificate must be for, and that is sent as SNI, where it is not the host of the URL. " +
					"Environment variable: `" + envTLSServerName + "`.",
				Optional: true,
			},
			"client_certificate": schema.StringAttribute{
				MarkdownDescription: "PEM-encoded client certificate. Needs `client_key`. Environment variable: `" + envClientCertificate + "`.",
				Optional:            true,
			},
			"client_key": schema.StringAttribute{
				MarkdownDescription: "PEM-encoded private key of `client_certificate`. Environment variable: `" + envClientKey + "`.",
				Optional:            true,
				Sensitive:           true,
			},
			"cluster_ca_certificate": schema.StringAttribute{
				MarkdownDescription: "PEM-encoded certificates of the authorities that may have signed the server's certificate. " +
					"Without it, those of the kubeconfig, else of the system. Environment variable: `" + envClusterCACertificate + "`.",
				Optional: true,
			},
			"config_path": schema.StringAttribute{
				MarkdownDescription: "Path of a kubeconfig file; `~` is the home directory. Conflicts with `config_paths`. " +
					"Environment variable: `" + envConfigPath + "`.",
				Optional: true,
				Validators: []validator.String{
					stringvalidator.ConflictsWith(path.MatchRoot("config_paths")),
				},
			},
			"config_paths": schema.ListAttribute{
				MarkdownDescription: "Paths of kubeconfig files, merged as `kubectl` merges them: of what several files name, the first counts. " +
					"Each must exist. Environment variable: `" + envConfigPaths + "`, separated as in `PATH`; `" + envConfigPath + "` wins over it.",
				ElementType: types.StringType,
				Optional:    true,
				Validators:  []validator.List{listvalidator.NoNullValues()},
			},
			"config_context": schema.StringAttribute{
				MarkdownDescription: "Context of the kubeconfig to use, instead of its current one. Environment variable: `" + envContext + "`.",
				Optional:            true,
			},
			"config_context_auth_info": schema.StringAttribute{
				MarkdownDescription: "User of the kubeconfig to use, instead of the context's. Environment variable: `" + envContextAuthInfo + "`.",
				Optional:            true,
			},
			"config_context_cluster": schema.StringAttribute{
				MarkdownDescription: "Cluster of the kubeconfig to use, instead of the context's. Environment variable: `" + envContextCluster + "`.",
				Optional:            true,
			},
			"proxy_url": schema.StringAttribute{
				MarkdownDescription: "URL of a proxy for all requests; its scheme is `http`, `https` or `socks5`. Overrides the kubeconfig's. " +
					"Without either, `HTTPS_PROXY` and its like count. Environment variable: `" + envProxyURL + "`.",
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
				Validators:          fieldManagerValidators(),
			},
			"hide_values": schema.BoolAttribute{
				MarkdownDescription: "Hide values as `hide_value` does, for all resources: diagnostics show lengths and digests instead. Default: `false`.",
				Optional:            true,
			},
			"plan_check": schema.StringAttribute{
				MarkdownDescription: "What a check that fails while planning is: `error`; `warning`; or `off`, which makes no request for the check. " +
					"Apply checks regardless. Environment variable: `" + envPlanCheck + "`. Default: `error`.",
				Optional: true,
				Validators: []validator.String{
					stringvalidator.OneOf(string(planCheckError), string(planCheckWarning), string(planCheckOff)),
				},
			},
			"ignore_labels": schema.ListAttribute{
				MarkdownDescription: "Regular expressions (RE2). A label of which one matches any part of the key is left alone by `cas_configmap` unless the " +
					"resource's `labels` name it: not read into the state, no drift, never removed.",
				ElementType: types.StringType,
				Optional:    true,
				Validators:  []validator.List{listvalidator.NoNullValues(), listvalidator.ValueStringsAre(validExpression())},
			},
			"ignore_annotations": schema.ListAttribute{
				MarkdownDescription: "Regular expressions (RE2) for the keys of annotations, as `ignore_labels` is for those of labels.",
				ElementType:         types.StringType,
				Optional:            true,
				Validators:          []validator.List{listvalidator.NoNullValues(), listvalidator.ValueStringsAre(validExpression())},
			},
			"plan_dry_run": schema.BoolAttribute{
				MarkdownDescription: "Send the very write that apply would send while planning, as a server-side dry run, so that what the API server " +
					"would refuse fails the plan: for want of a permission, by an admission policy or a quota. What `plan_check` says goes for it too. " +
					"Planning then needs the permission to write. Environment variable: `" + envPlanDryRun + "`. Default: `false`.",
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

// fieldManagerValidators holds what the API server asks of a field manager.
func fieldManagerValidators() []validator.String {
	return []validator.String{stringRule{"1 to 128 printable characters", titleInvalidFieldManager, func(s string) []string {
		var wrong []string
		if s == "" || len(s) > 128 {
			wrong = append(wrong, fmt.Sprintf("must be 1 to 128 bytes long, not %d", len(s)))
		}
		if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
			wrong = append(wrong, "must hold only printable characters")
		}
		return wrong
	}}}
}
