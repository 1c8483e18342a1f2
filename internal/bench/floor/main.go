//go:build floor

// Floor serves the provider that internal/bench measures this one against.
package main

import (
	"context"
	"log"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider"
	"github.com/terraform-cas/terraform-provider-cas/internal/serve"
)

func main() {
	if err := serve.Provider(context.Background(), provider.NewFloor(), false); err != nil {
		log.Fatal(err)
	}
}
