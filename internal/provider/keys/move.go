package keys

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/resource"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// kubernetesManager is the default field manager of hashicorp/kubernetes. A state has it without a configuration.
const kubernetesManager = "Terraform"

// takeOver converts a state. All versions of hashicorp/kubernetes write one schema. The values of a Secret become the
// baseline, and are not stored.
func (m *DataModel) takeOver(raw []byte) (*resource.Claim, bool) {
	var source struct {
		Metadata []struct {
			Namespace string `json:"namespace"`
			Name      string `json:"name"`
		} `json:"metadata"`
		Data         map[string]*string `json:"data"`
		FieldManager string             `json:"field_manager"`
	}
	if json.Unmarshal(raw, &source) != nil || len(source.Metadata) != 1 {
		return nil, false
	}
	texts := map[string]string{}
	for key, value := range source.Data {
		if value != nil {
			texts[key] = *value
		}
	}
	if manager := source.FieldManager; manager != "" && manager != kubernetesManager {
		m.FieldManager = types.StringValue(manager)
	}
	moved := Maps{Data: resource.MapOf(texts)}
	ref := eval.Ref{Namespace: source.Metadata[0].Namespace, Name: source.Metadata[0].Name}
	m.setKeys(terms.DataID{Ref: ref, Keys: moved.names()})
	if m.Kind != eval.Secret {
		m.Data = moved.Data
	}
	return &resource.Claim{Claim: decide.Claim{Values: moved.Values(m.Kind)}}, true
}

// takeOver converts a state. The values of a Secret become the baseline, and are not stored.
func (m *WholeModel) takeOver(raw []byte) (*resource.Claim, bool) {
	var source struct {
		Metadata []struct {
			Namespace       string            `json:"namespace"`
			Name            string            `json:"name"`
			GenerateName    string            `json:"generate_name"`
			Labels          map[string]string `json:"labels"`
			Annotations     map[string]string `json:"annotations"`
			ResourceVersion string            `json:"resource_version"`
			UID             string            `json:"uid"`
		} `json:"metadata"`
		Data       map[string]string `json:"data"`
		BinaryData map[string]string `json:"binary_data"`
		Immutable  bool              `json:"immutable"`
		Type       string            `json:"type"` // of a Secret
	}
	if json.Unmarshal(raw, &source) != nil || len(source.Metadata) != 1 || source.Metadata[0].Name == "" {
		return nil, false
	}
	meta := source.Metadata[0]
	m.SetRef(eval.Ref{Namespace: cmp.Or(meta.Namespace, terms.DefaultNamespace), Name: meta.Name})
	m.Labels, m.Annotations = movedMap(meta.Labels), movedMap(meta.Annotations)
	m.Immutable, m.Type = types.BoolValue(source.Immutable), types.StringValue(source.Type)
	m.GenerateName = resource.TextOf(meta.GenerateName)
	m.SetVersion(eval.Version{UID: meta.UID, ResourceVersion: meta.ResourceVersion})
	data, binaryData := movedMap(source.Data), movedMap(source.BinaryData)
	c := resource.Call[WholeModel]{Model: m}
	if m.Kind == eval.Secret {
		c.Config = &WholeModel{Data: data, BinaryData: binaryData}
		m.Keys = resource.ListOf(slices.Sorted(maps.Keys(sealed(c).Elements())))
	} else {
		m.Data, m.BinaryData = data, binaryData
	}
	return objectClaim(c), true
}

// movedMap returns a map of hashicorp/kubernetes as a value: null if it is empty, since hashicorp/kubernetes does not
// distinguish an empty map from null.
func movedMap(m map[string]string) types.Map {
	if len(m) == 0 {
		return types.MapNull(types.StringType)
	}
	return resource.MapOf(m)
}
