// Schema reads what `tofu providers schema -json` prints, and prints it with the schemas of actions and of lists, which OpenTofu leaves
// out. tools/generate.sh makes the documentation of that.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider"
)

// The JSON of the command, as far as the schemas here need it.
type (
	schema struct {
		Version int64 `json:"version"`
		Block   block `json:"block"`
	}
	block struct {
		Attributes      map[string]attribute `json:"attributes"`
		Description     string               `json:"description,omitempty"`
		DescriptionKind string               `json:"description_kind"`
	}
	attribute struct {
		Type            tftypes.Type `json:"type,omitempty"`
		NestedType      *nested      `json:"nested_type,omitempty"`
		Description     string       `json:"description,omitempty"`
		DescriptionKind string       `json:"description_kind"`
		Required        bool         `json:"required,omitempty"`
		Optional        bool         `json:"optional,omitempty"`
	}
	nested struct {
		Attributes  map[string]attribute `json:"attributes"`
		NestingMode string               `json:"nesting_mode"`
	}
)

func main() {
	log.SetFlags(0)
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	var all struct {
		FormatVersion string                                `json:"format_version"`
		Providers     map[string]map[string]json.RawMessage `json:"provider_schemas"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&all); err != nil {
		return err
	}
	factory, closeAll := provider.New("schema", os.Getenv)
	defer closeAll()
	served, err := providerserver.NewProtocol6(factory())().GetProviderSchema(context.Background(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return err
	}
	actions, lists := map[string]schema{}, map[string]schema{}
	for name, s := range served.ActionSchemas {
		actions[name] = schemaOf(s.Schema)
	}
	for name, s := range served.ListResourceSchemas {
		lists[name] = schemaOf(s)
	}
	for _, schemas := range all.Providers {
		for name, of := range map[string]any{"action_schemas": actions, "list_resource_schemas": lists} {
			raw, encoding := json.Marshal(of)
			err = errors.Join(err, encoding)
			schemas[name] = raw
		}
	}
	return errors.Join(err, json.NewEncoder(os.Stdout).Encode(all))
}

func schemaOf(s *tfprotov6.Schema) schema {
	if len(s.Block.BlockTypes) > 0 {
		panic("a schema with blocks")
	}
	return schema{Version: s.Version, Block: block{attributesOf(s.Block.Attributes), s.Block.Description, kindOf(s.Block.DescriptionKind)}}
}

func attributesOf(all []*tfprotov6.SchemaAttribute) map[string]attribute {
	attributes := map[string]attribute{}
	for _, a := range all {
		of := attribute{Type: a.Type, Description: a.Description, DescriptionKind: kindOf(a.DescriptionKind), Required: a.Required, Optional: a.Optional}
		if a.NestedType != nil {
			of.NestedType = &nested{attributesOf(a.NestedType.Attributes), strings.ToLower(fmt.Sprint(a.NestedType.Nesting))}
		}
		attributes[a.Name] = of
	}
	return attributes
}

func kindOf(k tfprotov6.StringKind) string {
	if k == tfprotov6.StringKindMarkdown {
		return "markdown"
	}
	return "plain"
}
