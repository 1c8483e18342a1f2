package object

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/resource"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// NewDocument is cas_configmap_document, a resource of fields of the document in one key of a ConfigMap.
func NewDocument() fwresource.Resource {
	f := fieldsFamily()
	f.Name, f.Kind, f.Definition, f.ImportForm = "configmap_document", eval.ConfigMap, documentSchema, terms.DocumentIDForm
	f.Identity, f.ParseID, f.Locate = documentIdentity(), parseDocumentID, (*fieldsModel).locateDocument
	return resource.New(f)
}

func documentSchema(ctx context.Context) schema.Schema {
	format := formatAttribute(" A change replaces the resource.")
	format.PlanModifiers = []planmodifier.String{stringplanmodifier.RequiresReplace()}
	return attributes.OfData(ctx, "Atomically writes fields of a YAML or JSON document in one key of an existing "+
		"ConfigMap, only if every field holds its expected value. All other bytes of the document stay as they are.",
		eval.ConfigMap, "", map[string]schema.Attribute{
			"key": attributes.Place("Key with the document. A write creates a missing key, and a plan warns of that. Removing "+
				"the last field removes the key if the key was missing before the resource wrote it, and if nothing else is "+
				"left in the document.",
				attributes.ValidKey(eval.ConfigMap)),
			"format": format,
			"fields": schema.DynamicAttribute{
				Required: true,
				MarkdownDescription: "Values to write, by path: any JSON value; null removes the field. Set at least one. The " +
					"resource ignores other fields. If you remove a path from the map, `deletion_policy` applies to it. A path has " +
					"the form of [cas_object_fields](object_fields.md#paths). If the document is a list, a path begins with a " +
					"selector: `[name=\"web\"]`.",
			},
			"expected_fields": schema.DynamicAttribute{
				Optional: true,
				MarkdownDescription: "Values that fields must hold before the write, by path; null if the field must be absent. " +
					"A path only in `fields` must be absent on create, and hold the value in the state on update. A path only in " +
					"`expected_fields` is a guard: the request compares the field and never writes it. A plan without a write " +
					"checks nothing. A field of `fields` is compared only when written, so its expectation can stay in the " +
					"configuration after the swap.",
			},
			"conflict_scope":  fieldScope(),
			"deletion_policy": fieldPolicy(),
			"on_drift":        fieldDrift(),
			"hide_values": attributes.Flag("Show lengths and SHA-256 digests instead of values in diagnostics, including " +
				"quoted API server messages. `previous_fields` stays null; `fields` and `expected_fields` stay in the state. Set " +
				"this if values are sensitive: a provider cannot see Terraform's `sensitive` marks. Default: `false`."),
			"previous_fields": previousFields(),
			"adopt_existing":  adoptFields(),
			"id": attributes.Computed("`namespace/name/key/format/path1,path2` with the paths sorted, for example " +
				"`shop/settings/config.yaml/yaml/log.level`."),
			"wait_for_match": attributes.Wait(eval.ConfigMap, terms.ScopeField,
				"the verb `watch`, and excludes `conflict_scope = \"object\"`"),
		})
}

// formatAttribute returns the attribute format. changes describes a change of the attribute.
func formatAttribute(changes string) schema.StringAttribute {
	return schema.StringAttribute{
		Required:   true,
		Validators: []validator.String{attributes.Rule("a format", message.InvalidFormat, terms.FormatProblems)},
		MarkdownDescription: "Format of the document: `yaml` or `json`. With `yaml`, a nonempty JSON document stays JSON." +
			changes,
	}
}

// documentIdentity returns the attributes of the identity. The identity changes with the fields.
func documentIdentity() map[string]identityschema.Attribute {
	return map[string]identityschema.Attribute{
		"namespace": identityschema.StringAttribute{
			OptionalForImport: true, Description: "Namespace of the ConfigMap. Default: \"default\".",
		},
		"name":   requiredForImport("Name of the ConfigMap."),
		"key":    requiredForImport("Key with the document."),
		"format": requiredForImport("Format of the document: \"yaml\" or \"json\"."),
		"paths": identityschema.ListAttribute{
			ElementType: types.StringType, RequiredForImport: true, Description: "Paths of the fields.",
		},
	}
}

func parseDocumentID(s string) (resource.Identity, error) {
	id, err := terms.ParseDocumentID(s)
	return resource.Identity{
		Namespace: resource.TextOf(id.Namespace), Name: types.StringValue(id.Name), Key: types.StringValue(id.Key),
		Format: types.StringValue(id.Format), Paths: resource.ListOf(pathsOf(id.Keys)),
	}, err
}

// locateDocument sets the attributes of an import.
func (m *fieldsModel) locateDocument(i resource.Identity) ([]string, error) {
	ref := i.Ref()
	ref.Kind = eval.ConfigMap
	id, err := terms.NewDocumentID(terms.EntryID{Ref: ref, Key: i.Key.ValueString()}, i.Format.ValueString(),
		resource.KeysOf(i.Paths))
	m.SetRef(ref)
	m.Key, m.Format, m.ID = i.Key, i.Format, types.StringValue(id.String())
	return id.Keys, err
}

// pathsOf returns the paths of fields.
func pathsOf(keys []string) []string {
	paths := slices.Clone(keys)
	for i, key := range paths {
		paths[i], _ = message.NameOf(key)
	}
	return paths
}

// NewDocumentSource is the data source cas_configmap_document.
func NewDocumentSource() datasource.DataSource {
	return resource.NewSource[source]("configmap_document", eval.ConfigMap, documentSourceSchema)
}

func documentSourceSchema(context.Context) schema.Schema {
	return attributes.OfFound("Reads fields of a YAML or JSON document in one key of a ConfigMap.", eval.ConfigMap,
		"Whether the key exists. `false` if the ConfigMap does not exist.", ", for `expected_resource_version_wo`",
		map[string]schema.Attribute{
			"key":    attributes.Required("Key with the document.", attributes.ValidKey(eval.ConfigMap)),
			"format": formatAttribute(""),
			"paths": schema.ListAttribute{
				Required: true, ElementType: types.StringType, Validators: []validator.List{listvalidator.SizeAtLeast(1)},
				MarkdownDescription: "Paths of the fields to read.",
			},
			"values": schema.DynamicAttribute{
				Computed: true,
				MarkdownDescription: "Values of the fields, by path as `paths` has it; null for a field that is absent. Null as " +
					"a whole if the key does not exist.",
			},
		})
}
