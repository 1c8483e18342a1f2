#!/usr/bin/env bash
# Generates docs/ from the provider's schema, its table of messages, templates/ and examples/, and formats the examples. Without network.
#
# The schema comes from OpenTofu, for Terraform before 1.12 does not export resource identities; those of actions and lists from the provider itself.
set -euo pipefail
cd "$(dirname "$0")/.."

tofu=$(tools/build.sh tofu)
tfplugindocs=$(tools/build.sh tfplugindocs)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

go build -o "$tmp/provider/terraform-provider-cas" .
# tfplugindocs looks the schema up under hashicorp's namespace, whatever the provider's is.
cat >"$tmp/main.tf" <<'HCL'
terraform {
  required_providers {
    cas = { source = "registry.terraform.io/hashicorp/cas" }
  }
}
HCL
cat >"$tmp/cli.tfrc" <<HCL
disable_checkpoint = true
provider_installation {
  dev_overrides {
    "registry.terraform.io/hashicorp/cas" = "$tmp/provider"
  }
}
HCL
# What else is set for the command line, TF_CLI_ARGS and TF_WORKSPACE among it, is not for this run.
for name in $(compgen -e TF_); do unset "$name"; done
export TF_CLI_CONFIG_FILE=$tmp/cli.tfrc

"$tofu" fmt -recursive examples
"$tofu" -chdir="$tmp" providers schema -json | go run ./internal/schema >"$tmp/schema.json"
"$tfplugindocs" generate --providers-schema "$tmp/schema.json" --provider-name cas --rendered-provider-name CAS
go run ./internal/messages >docs/guides/messages.md
"$tfplugindocs" validate --providers-schema "$tmp/schema.json" --provider-name cas >"$tmp/validate.log" 2>&1 || {
  cat "$tmp/validate.log" >&2
  exit 1
}
