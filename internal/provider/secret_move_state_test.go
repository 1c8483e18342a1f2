package provider

import (
	"bytes"
	"encoding/base64"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/secret"
)

// TestSecretMoveState moves states that have values: none of them is in the new state, nor in private state.
func TestSecretMoveState(t *testing.T) {
	t.Parallel()
	const meta = `"metadata": [{"name": "database", "namespace": "shop", "uid": "u", "resource_version": "7"}]`
	for _, test := range []struct {
		from, to, state, id string
		resource            resource.Resource
	}{
		{
			"kubernetes_secret_v1_data", "cas_secret_data", `{"id": "x", "data": {"a": "planted-one", "b": "planted-two"}, ` + meta + `}`,
			"shop/database:a,b", secret.NewData(),
		},
		{
			"kubernetes_secret_v1", "cas_secret", `{"id": "x", "type": "Opaque", "data": {"a": "planted-one"}, "binary_data": {"b": "cGxhbnRlZC10d28="}, ` + meta + `}`,
			"shop/database", secret.NewSecret(),
		},
		{
			"kubernetes_secret", "cas_secret", `{"id": "x", "type": "kubernetes.io/tls", "data": {"a": "planted-one"}, "binary_data": null, ` + meta + `}`,
			"shop/database", secret.NewSecret(),
		},
	} {
		resp := moveState(t, &tfprotov6.MoveResourceStateRequest{
			SourceProviderAddress: "registry.terraform.io/hashicorp/kubernetes", SourceTypeName: test.from,
			SourceState: &tfprotov6.RawState{JSON: []byte(test.state)}, TargetTypeName: test.to,
		})
		if len(resp.Diagnostics) > 0 {
			t.Errorf("%s: %s", test.from, resp.Diagnostics[0].Detail)
			continue
		}
		got := attributesOf(t, test.resource, resp.TargetState)
		if want := tftypes.NewValue(tftypes.String, test.id); !got["id"].Equal(want) {
			t.Errorf("%s: id %s, want %s", test.from, got["id"], want)
		}
		stored := append(append(resp.TargetState.MsgPack, resp.TargetState.JSON...), resp.TargetPrivate...)
		for _, value := range []string{"planted-one", "planted-two"} {
			for _, form := range []string{value, base64.StdEncoding.EncodeToString([]byte(value))} {
				if bytes.Contains(stored, []byte(form)) {
					t.Errorf("%s: %s is stored", test.from, form)
				}
			}
		}
	}
}
