// Package keys has the families of resources that ConfigMaps and Secrets share: one key ([NewEntry]), several keys
// ([NewData]), and a whole object ([NewWhole]). Packages configmap and secret have their schemas.
package keys

import (
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/resource"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
)

// planWrite makes the version of a Secret unknown. Terraform does so for a ConfigMap, because an argument differs from
// the state.
func planWrite(k *resource.KeysAttributes) {
	if k.Kind == eval.Secret {
		k.ResourceVersion, k.UID = types.StringUnknown(), types.StringUnknown()
	}
}

// isChangeKnown reports whether the plan knows if an update writes. For a Secret, the revision decides.
func isChangeKnown(kind eval.Kind, isValued bool, revision types.Int64) bool {
	if kind == eval.Secret {
		return !revision.IsUnknown()
	}
	return isValued
}

// hiding returns how diagnostics show values. They never show a value of a Secret.
func hiding(kind eval.Kind, s *session.Session, hide types.Bool) message.Hiding {
	if kind == eval.Secret {
		return message.ShowNothing
	}
	return message.HideIf(s.Hides(hide))
}

// revisionOf returns the version of write-only values; empty if it is null.
func revisionOf(version types.Int64) string {
	if version.IsNull() {
		return ""
	}
	return version.String()
}

// objectIdentity returns the attributes of the identity of an object, and others.
func objectIdentity(kind eval.Kind, others map[string]identityschema.Attribute) map[string]identityschema.Attribute {
	all := map[string]identityschema.Attribute{
		"namespace": identityschema.StringAttribute{
			OptionalForImport: true, Description: fmt.Sprintf("Namespace of the %s. Default: \"default\".", kind),
		},
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: fmt.Sprintf("Name of the %s.", kind)},
	}
	maps.Copy(all, others)
	return all
}

// identityOf returns the identity of an object.
func identityOf(ref eval.Ref) resource.Identity {
	return resource.Identity{
		Namespace: types.StringValue(ref.Namespace), Name: types.StringValue(ref.Name),
		Keys: types.ListNull(types.StringType),
	}
}
