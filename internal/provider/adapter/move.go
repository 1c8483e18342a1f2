package adapter

import (
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
)

// FromKubernetes reports whether a state is moved from a resource of hashicorp/kubernetes, from whichever registry. OpenTofu before 1.11.12
// and 1.12.4 tells but the name that the resource's type begins with (opentofu/opentofu#4352).
func FromKubernetes(req resource.MoveStateRequest, resourceTypes ...string) bool {
	isKubernetes := strings.HasSuffix(req.SourceProviderAddress, "/hashicorp/kubernetes") || req.SourceProviderAddress == "kubernetes"
	return isKubernetes && req.SourceRawState != nil && slices.Contains(resourceTypes, req.SourceTypeName)
}

// Unmovable is for a state that hashicorp/kubernetes cannot have written.
func Unmovable(resourceType, instead string) diag.Diagnostic {
	return diagnose.TitleStateCannotBeMoved.With(diagnose.Detail("The state of "+resourceType+" does not have the form that hashicorp/kubernetes writes. Nothing was moved.", nil,
		"Replace the moved block by a removed block with destroy = false. Then "+instead))
}

// KubernetesData is the state of a kubernetes_config_map_v1_data or a kubernetes_secret_v1_data, of which there has been one schema only.
type KubernetesData struct {
	Metadata []struct {
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
	} `json:"metadata"`
	Data         map[string]*string `json:"data"`
	FieldManager *string            `json:"field_manager"`
}

// kubernetesManager is that provider's default, which stands in the state though no configuration named it.
const kubernetesManager = "Terraform"

// Manager is the field manager that the configuration named, null where it did not.
func (d *KubernetesData) Manager() types.String {
	if d.FieldManager == nil || *d.FieldManager == "" || *d.FieldManager == kubernetesManager {
		return types.StringNull()
	}
	return types.StringValue(*d.FieldManager)
}
