// Terraform-provider-cas serves the compare-and-swap provider to Terraform and OpenTofu.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider"
	"github.com/terraform-cas/terraform-provider-cas/internal/serve"
)

// version is set by the linker in a release.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false,
		"serve until interrupted, as under a debugger, and print how Terraform and OpenTofu attach")
	printVersion := flag.Bool("version", false, "print the version and exit")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "terraform-provider-cas is a plugin: Terraform and OpenTofu start it. By "+
			"hand it takes one of:")
		flag.PrintDefaults()
	}
	flag.Parse()

	if *printVersion {
		fmt.Println(version)
		return
	}

	// Of plugin-go: it writes each request into a file, write-only values included.
	_ = os.Unsetenv("TF_LOG_SDK_PROTO_DATA_DIR")
	factory, closeAll := provider.New(version, os.Getenv)
	err := serve.Provider(context.Background(), factory, *debug)
	closeAll()
	if err != nil {
		log.Fatal(err)
	}
}
