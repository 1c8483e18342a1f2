package connect

import "github.com/hashicorp/terraform-plugin-framework/types"

// The environment variables of hashicorp/kubernetes; package terms has those of our own.
const (
	EnvHost                 = "KUBE_HOST"
	EnvToken                = "KUBE_TOKEN"
	EnvInsecure             = "KUBE_INSECURE"
	EnvTLSServerName        = "KUBE_TLS_SERVER_NAME"
	EnvClientCertificate    = "KUBE_CLIENT_CERT_DATA"
	EnvClientKey            = "KUBE_CLIENT_KEY_DATA"
	EnvClusterCACertificate = "KUBE_CLUSTER_CA_CERT_DATA"
	EnvConfigPath           = "KUBE_CONFIG_PATH"
	EnvConfigPaths          = "KUBE_CONFIG_PATHS"
	EnvContext              = "KUBE_CTX"
	EnvContextAuthInfo      = "KUBE_CTX_AUTH_INFO"
	EnvContextCluster       = "KUBE_CTX_CLUSTER"
	EnvProxyURL             = "KUBE_PROXY_URL"
)

// Model is the configuration of the provider as Go values.
type Model struct {
	Host                  types.String  `tfsdk:"host"`
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
	PlanDryRun            types.Bool    `tfsdk:"plan_dry_run"`
	Defaults              types.Object  `tfsdk:"defaults"`
	Exec                  types.List    `tfsdk:"exec"`
}

// execModel is its exec block.
type execModel struct {
	APIVersion types.String `tfsdk:"api_version"`
	Command    types.String `tfsdk:"command"`
	Args       types.List   `tfsdk:"args"`
	Env        types.Map    `tfsdk:"env"`
}
