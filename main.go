// Terraform-provider-cas serves the compare-and-swap provider to Terraform and OpenTofu.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider"
	"github.com/terraform-cas/terraform-provider-cas/internal/serve"
)

// version is set by the linker in a release.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "wait for a debugger such as delve, and print how Terraform can attach")
	printVersion := flag.Bool("version", false, "print the version and exit")
	flag.Parse()

	if *printVersion {
		fmt.Println(version)
		return
	}

	factory, closeAll := provider.New(version)
	err := serve.Provider(context.Background(), factory, *debug)
	closeAll()
	if err != nil {
		log.Fatal(err)
	}
}
