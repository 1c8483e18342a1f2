package provider

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// The provider defers a read until its configuration is known, if the client allows deferrals.
func TestDataSourceIsDeferredWhereTheClientAllowsIt(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"cas_configmap", "cas_configmap_entry"} {
		server := unconfigured(t)
		configured, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
			Config: dynamic(t, providerConfig(t, block{"host": unknown{}})), ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: true},
		})
		if err != nil || len(configured.Diagnostics) > 0 {
			t.Fatal(err, configured)
		}
		schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
		if err != nil {
			t.Fatal(err)
		}
		object, ok := schemas.DataSourceSchemas[kind].ValueType().(tftypes.Object)
		if !ok {
			t.Fatal("the schema is no object")
		}
		values := map[string]tftypes.Value{}
		for name, typ := range object.AttributeTypes {
			values[name] = tftypes.NewValue(typ, nil)
		}
		values["name"] = tftypes.NewValue(tftypes.String, "testmap")
		if kind == "cas_configmap_entry" {
			values["key"] = tftypes.NewValue(tftypes.String, "foo")
		}
		config, err := tfprotov6.NewDynamicValue(object, tftypes.NewValue(object, values))
		if err != nil {
			t.Fatal(err)
		}
		read, err := server.ReadDataSource(context.Background(), &tfprotov6.ReadDataSourceRequest{
			TypeName: kind, Config: &config, ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: true},
		})
		if err != nil || len(read.Diagnostics) > 0 {
			t.Fatal(err, read)
		}
		if read.Deferred == nil || read.Deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown {
			t.Errorf("%s: deferred is %v", kind, read.Deferred)
		}
	}
}

func dynamic(t *testing.T, config tfsdk.Config) *tfprotov6.DynamicValue {
	t.Helper()
	value, err := tfprotov6.NewDynamicValue(config.Raw.Type(), config.Raw)
	if err != nil {
		t.Fatal(err)
	}
	return &value
}
