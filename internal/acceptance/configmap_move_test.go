package acceptance_test

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	frameworkresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"
	corev1 "k8s.io/api/core/v1"
)

// kubernetesConfigMapResource makes nothing: what its state says is what the test has made.
type kubernetesConfigMapResource struct {
	made *corev1.ConfigMap
	name string
}

func (r kubernetesConfigMapResource) Metadata(_ context.Context, req frameworkresource.MetadataRequest, resp *frameworkresource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + r.name
}

func (kubernetesConfigMapResource) Schema(_ context.Context, _ frameworkresource.SchemaRequest, resp *frameworkresource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Attributes: map[string]schema.Attribute{
			"id":          schema.StringAttribute{Computed: true},
			"data":        schema.MapAttribute{Optional: true, Computed: true, ElementType: types.StringType},
			"binary_data": schema.MapAttribute{Optional: true, Computed: true, ElementType: types.StringType},
			"immutable":   schema.BoolAttribute{Optional: true, Computed: true},
		},
		Blocks: map[string]schema.Block{"metadata": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{
			Attributes: map[string]schema.Attribute{
				"name":             schema.StringAttribute{Optional: true, Computed: true},
				"namespace":        schema.StringAttribute{Optional: true, Computed: true},
				"generate_name":    schema.StringAttribute{Optional: true, Computed: true},
				"labels":           schema.MapAttribute{Optional: true, Computed: true, ElementType: types.StringType},
				"annotations":      schema.MapAttribute{Optional: true, Computed: true, ElementType: types.StringType},
				"generation":       schema.Int64Attribute{Computed: true},
				"resource_version": schema.StringAttribute{Computed: true},
				"uid":              schema.StringAttribute{Computed: true},
			},
		}}},
	}
}

func (r kubernetesConfigMapResource) Create(ctx context.Context, _ frameworkresource.CreateRequest, resp *frameworkresource.CreateResponse) {
	cm := r.made
	m := metadataModel{
		Name: cm.Name, Namespace: cm.Namespace, Labels: maps.Clone(cm.Labels), Annotations: cm.Annotations,
		ResourceVersion: cm.ResourceVersion, UID: string(cm.UID),
	}
	if cm.GenerateName != "" {
		m.GenerateName = &cm.GenerateName
	}
	encoded := data{}
	for key := range cm.BinaryData {
		encoded[key] = "/w=="
	}
	for attribute, value := range map[string]any{
		"id": cm.Namespace + "/" + cm.Name, "data": cm.Data, "binary_data": encoded, "immutable": wholeOf(cm).Immutable,
	} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(attribute), value)...)
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("metadata"), []metadataModel{m})...)
}

type metadataModel struct {
	Name            string            `tfsdk:"name"`
	Namespace       string            `tfsdk:"namespace"`
	GenerateName    *string           `tfsdk:"generate_name"`
	Labels          map[string]string `tfsdk:"labels"`
	Annotations     map[string]string `tfsdk:"annotations"`
	Generation      int64             `tfsdk:"generation"`
	ResourceVersion string            `tfsdk:"resource_version"`
	UID             string            `tfsdk:"uid"`
}

func (kubernetesConfigMapResource) Read(context.Context, frameworkresource.ReadRequest, *frameworkresource.ReadResponse) {
}

func (kubernetesConfigMapResource) Update(context.Context, frameworkresource.UpdateRequest, *frameworkresource.UpdateResponse) {
}

func (kubernetesConfigMapResource) Delete(context.Context, frameworkresource.DeleteRequest, *frameworkresource.DeleteResponse) {
}

// movesSince skips where the command line moves no resource to another type.
var movesSince = []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_8_0)}

func TestConfigMapMovedFromHashicorpKubernetes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		live   whole
		prefix string
		lines  []string
	}{
		"all of it": {
			live: whole{
				Labels: data{"app": "shop"}, Annotations: data{"note": "a"}, Data: data{"foo": "1"}, Bytes: map[string][]byte{"raw": {0xff}},
				Immutable: true,
			},
			lines: []string{`labels = { app = "shop" }`, `annotations = { note = "a" }`, `data = { foo = "1" }`, `binary_data = { raw = "/w==" }`, `immutable = true`},
		},
		"nothing":        {},
		"generated name": {prefix: "app-", live: whole{Data: data{"foo": "1"}}, lines: []string{`data = { foo = "1" }`, `generate_name = "app-"`}},
	} {
		for _, from := range []string{"kubernetes_config_map_v1", "kubernetes_config_map"} {
			run := func(t *testing.T, runs func(*testing.T, *kubernetesStandIn, resource.TestCase)) {
				t.Helper()
				f := newFixture(t)
				proxy := f.proxied()
				cm := &corev1.ConfigMap{Data: test.live.Data, BinaryData: test.live.Bytes}
				cm.Labels, cm.Annotations, cm.GenerateName = test.live.Labels, test.live.Annotations, test.prefix
				if test.prefix == "" {
					cm.Name = "testmap"
				}
				if test.live.Immutable {
					freeze(cm)
				}
				made := f.createObject(cm)
				moved := f.config(fmt.Sprintf("moved {\n  from = %s.all\n  to   = cas_configmap.all\n}\n", from) + wholeBlock("all", test.lines...))
				runs(t, &kubernetesStandIn{made: made}, resource.TestCase{
					TerraformVersionChecks: movesSince,
					Steps: []resource.TestStep{
						{Config: fmt.Sprintf("resource %q \"all\" {\n  metadata {\n    name = %q\n  }\n}\n", from, made.Name)},
						{
							Config: moved, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
								plancheck.ExpectEmptyPlan(), plancheck.ExpectResourceAction("cas_configmap.all", plancheck.ResourceActionNoop),
							}},
							Check: checked(func() {
								f.wantUnchanged(made)
								if n := proxy.Count("GET"); n != proxy.Count() {
									f.Errorf("requests: %v", proxy.Requests())
								}
							}),
						},
						{Config: f.config(wholeBlock("all", append(test.lines, `hide_values = true`)...)), Check: checked(func() {
							if f.live(made.Name).UID != made.UID {
								f.Error("the ConfigMap was replaced")
							}
						})},
					},
				})
				if n := proxy.Count("DELETE"); n != 1 {
					t.Errorf("%d deletes, want that of the end", n)
				}
			}
			t.Run(name+"/"+from, func(t *testing.T) { run(t, drive) })
			if name == "all of it" && from == "kubernetes_config_map" {
				t.Run(name+"/"+from+", on the command line", func(t *testing.T) { run(t, runCLISteps) })
			}
		}
	}
}
