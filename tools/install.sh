#!/usr/bin/env bash
# Installs the built provider for `terraform init` and `tofu init`, in the folder where both look before they ask a registry.
#
#   tools/install.sh BINARY
#
# The version is 9999.0.SECONDS: above any release, and new for each build. `init -upgrade` needs that: it refuses a
# binary that changed under a version whose checksum the lock file has. A commit is no version number.
set -euo pipefail

binary=$1
plugins=$HOME/.terraform.d/plugins
version=9999.0.$(date +%s)
system=$(go env GOOS)_$(go env GOARCH)

for host in registry.terraform.io registry.opentofu.org; do
  cas=$plugins/$host/terraform-cas/cas
  if ! cmp -s "$binary" "$cas"/9999.*/"$system"/terraform-provider-cas_*; then # the same build keeps its version
    rm -rf "$cas"/9999.*
    mkdir -p "$cas/$version/$system"
    cp "$binary" "$cas/$version/$system/terraform-provider-cas_v$version"
  fi
  echo "installed $(ls -d "$cas"/9999.*)"
done
cat <<END

In a configuration:              terraform init
After each later make install:   terraform init -upgrade
With OpenTofu, type tofu.
END

configs=("$HOME/.terraformrc" "$HOME/.tofurc" "${XDG_CONFIG_HOME:-$HOME/.config}/opentofu/tofurc")
[ -z "${TF_CLI_CONFIG_FILE-}" ] || configs=("$TF_CLI_CONFIG_FILE") # then it is the only one
for file in "${configs[@]}"; do
  if [ -f "$file" ] && grep -q '^[[:space:]]*provider_installation' "$file"; then
    cat >&2 <<END

$file has a provider_installation block. While it is there, terraform and tofu do not look into
$plugins. Remove the block, and run init again.
END
  fi
done
