#!/usr/bin/env bash
# Builds one pinned tool into the user's cache, unless it is there, and prints the path of the binary.
#
#   tools/build.sh kube-apiserver|etcd|kubectl|tofu|golangci-lint|tfplugindocs|goreleaser|editorconfig-checker
#   tools/build.sh --path NAME      only prints where it is or would be
set -euo pipefail

only_path=
[ "$1" != --path ] || { only_path=1 && shift; }
name=$1
tools=$(cd "$(dirname "$0")" && pwd)

case $name in
  kube-apiserver) dir=controlplane module=k8s.io/kubernetes package=k8s.io/kubernetes/cmd/kube-apiserver ;;
  kubectl)        dir=controlplane module=k8s.io/kubernetes package=k8s.io/kubernetes/cmd/kubectl ;;
  etcd)           dir=controlplane module=go.etcd.io/etcd/server/v3 package=go.etcd.io/etcd/server/v3 ;;
  tofu)           dir=opentofu module=github.com/opentofu/opentofu package=github.com/opentofu/opentofu/cmd/tofu ;;
  golangci-lint)  dir=. module=github.com/golangci/golangci-lint/v2 package=github.com/golangci/golangci-lint/v2/cmd/golangci-lint ;;
  tfplugindocs)   dir=. module=github.com/hashicorp/terraform-plugin-docs package=github.com/hashicorp/terraform-plugin-docs/cmd/tfplugindocs ;;
  goreleaser)     dir=. module=github.com/goreleaser/goreleaser/v2 package=github.com/goreleaser/goreleaser/v2 ;;
  editorconfig-checker)
    dir=. module=github.com/editorconfig-checker/editorconfig-checker/v3
    package=$module/cmd/editorconfig-checker ;;
  *) echo "$0: unknown tool '$name'" >&2 && exit 2 ;;
esac
version=$(awk -v m="$module" '$1 == m && $2 ~ /^v/ { print $2; exit }' "$tools/$dir/go.mod")

case $(uname -s) in
  Darwin) cache=${XDG_CACHE_HOME:-$HOME/Library/Caches} ;;
  *)      cache=${XDG_CACHE_HOME:-$HOME/.cache} ;;
esac
bin=$cache/terraform-provider-cas/$name-$version/$name
if [ -n "$only_path" ] || [ -x "$bin" ]; then
  echo "$bin"
  exit
fi

ldflags="-s -w"
case $name in
  kube-apiserver | kubectl)
    IFS=. read -r major minor _ <<<"${version#v}"
    ldflags+=" -X k8s.io/component-base/version.gitVersion=$version"
    ldflags+=" -X k8s.io/component-base/version.gitMajor=$major -X k8s.io/component-base/version.gitMinor=$minor"
    ;;
  tofu) ldflags+=" -X github.com/opentofu/opentofu/version.dev=no" ;;
esac

say() { echo "$name $version: $*" >&2; }
say "not in the cache; building it once, which takes minutes"
say "fetching what it is built from"
cd "$tools/$dir"
total=$(GOFLAGS=-mod=readonly go list -deps "$package" | wc -l)
mkdir -p "$(dirname "$bin")"
tmp=$(mktemp "$bin.XXXXXX")
trap 'rm -f "$tmp"' EXIT
GOFLAGS=-mod=readonly CGO_ENABLED=0 go build -v -trimpath -buildvcs=false -ldflags "$ldflags" -o "$tmp" "$package" 2>&1 |
  awk -v total=$((total)) -v prefix="$name $version" -f "$tools/progress.awk" >&2
chmod 755 "$tmp"
mv "$tmp" "$bin" # atomic: a parallel build of the same tool is wasted, never harmful
say "done"
echo "$bin"
