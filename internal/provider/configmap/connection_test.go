package configmap_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/configmap"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
)

// Data of another provider is an error. There is no data while Terraform validates a configuration.
func TestConfigureTakesOnlyWhatTheProviderHandsOver(t *testing.T) {
	t.Parallel()
	const refusal = "The provider handed over a string.\n\nReport this as a defect of the provider, with the log of this run (TF_LOG_PROVIDER=DEBUG)."
	for data, want := range map[any]string{"x": refusal, nil: "", &session.Session{}: ""} {
		for _, make := range []func() resource.Resource{configmap.NewEntry, configmap.NewData, configmap.NewConfigMap, configmap.NewCounter} {
			r, ok := make().(resource.ResourceWithConfigure)
			if !ok {
				t.Fatalf("%T is not configured", make())
			}
			var resp resource.ConfigureResponse
			r.Configure(t.Context(), resource.ConfigureRequest{ProviderData: data}, &resp)
			if got := detail(resp.Diagnostics); got != want {
				t.Errorf("%T with %T: %q, want %q", r, data, got, want)
			}
		}
		for _, make := range []func() datasource.DataSource{configmap.NewEntrySource, configmap.NewConfigMapSource} {
			d, ok := make().(datasource.DataSourceWithConfigure)
			if !ok {
				t.Fatalf("%T is not configured", make())
			}
			var resp datasource.ConfigureResponse
			d.Configure(t.Context(), datasource.ConfigureRequest{ProviderData: data}, &resp)
			if got := detail(resp.Diagnostics); got != want {
				t.Errorf("%T with %T: %q, want %q", d, data, got, want)
			}
		}
	}
}

// detail returns the detail of the only diagnostic; empty if there is none.
func detail(diags diag.Diagnostics) string {
	if len(diags) != 1 {
		return ""
	}
	return diags[0].Detail()
}
