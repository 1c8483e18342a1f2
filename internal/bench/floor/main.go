//go:build floor

// Floor serves the provider that internal/bench measures this one against.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider"
)

func main() {
	err := providerserver.Serve(context.Background(), provider.NewFloor(), providerserver.ServeOpts{
		Address:         "registry.terraform.io/terraform-cas/cas",
		ProtocolVersion: 6,
	})
	if err != nil {
		log.Fatal(err)
	}
}
