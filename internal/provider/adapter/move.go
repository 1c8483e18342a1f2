package adapter

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
)

// fromKubernetes reports whether a state is moved from a resource of hashicorp/kubernetes, from whichever registry. OpenTofu before 1.11.12
// and 1.12.4 tells but the name that the resource's type begins with (opentofu/opentofu#4352).
func fromKubernetes(req resource.MoveStateRequest, resourceTypes ...string) bool {
	isKubernetes := strings.HasSuffix(req.SourceProviderAddress, "/hashicorp/kubernetes") || req.SourceProviderAddress == "kubernetes"
	return isKubernetes && req.SourceRawState != nil && slices.Contains(resourceTypes, req.SourceTypeName)
}

// unmovable is for a state that hashicorp/kubernetes cannot have written.
func unmovable(resourceType, instead string) diag.Diagnostic {
	return diagnose.TitleStateCannotBeMoved.With(diagnose.Detail("The state of "+resourceType+" does not have the form that hashicorp/kubernetes writes. Nothing was moved.", nil,
		"Replace the moved block by a removed block with destroy = false. Then "+instead))
}

// Data implements the resources of several keys.
type Data struct{ Keys[DataModel, *DataModel] }

// NewData is a resource of several keys. A change of keys is an update of it, and no replace.
func NewData(name string, kind cas.Kind, definition func(context.Context) schema.Schema) Movable {
	r := &Data{NewKeys[DataModel](name, kind, definition)}
	r.MutableIdentity = true // with the keys
	return r
}

// kubernetesData is the state of a kubernetes_config_map_v1_data or a kubernetes_secret_v1_data, of which there has been one schema only.
type kubernetesData struct {
	Metadata []struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"metadata"`
	Data         map[string]*string `json:"data"`
	FieldManager string             `json:"field_manager"`
}

// kubernetesManager is that provider's default, which stands in the state though no configuration named it.
const kubernetesManager = "Terraform"

// MoveState takes over the state of hashicorp/kubernetes' resource. No cluster is known here: the next refresh finds the version, without
// which nothing is written. What the keys held at first is not known any more.
func (r *Data) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{StateMover: r.move}}
}

func (r *Data) move(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
	from := map[cas.Kind]string{cas.ConfigMap: "kubernetes_config_map_v1_data", cas.Secret: "kubernetes_secret_v1_data"}[r.Kind]
	if !fromKubernetes(req, from) {
		return
	}
	var source kubernetesData
	if json.Unmarshal(req.SourceRawState.JSON, &source) != nil || len(source.Metadata) != 1 {
		resp.Diagnostics.Append(unmovable(req.SourceTypeName, "import the keys with the id namespace/name:key1,key2."))
		return
	}
	texts := map[string]string{}
	for key, value := range source.Data {
		if value != nil {
			texts[key] = *value
		}
	}
	state := r.Blank(ctx)
	state.Shared().SetRef(cas.Ref{Namespace: source.Metadata[0].Namespace, Name: source.Metadata[0].Name})
	if manager := source.FieldManager; manager != "" && manager != kubernetesManager {
		state.Shared().FieldManager = types.StringValue(manager)
	}
	values := state.takeOver(texts)
	resp.Diagnostics.Append(r.encode(ctx, state, resp.TargetIdentity, &resp.TargetState)...)
	m := r.Recall(ctx, resp.TargetPrivate, &resp.Diagnostics)
	m.Baseline(&claim.Claim{Values: values})
	resp.Diagnostics.Append(m.Keep(ctx, resp.TargetPrivate)...)
}
