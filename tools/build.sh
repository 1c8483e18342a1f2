#!/usr/bin/env bash
# Builds one pinned tool into the user's cache, unless it is there, and prints the path of the binary. kube-apiserver, etcd
# and kubectl are downloaded together (see download.sh), and built if the download fails.
#
#   tools/build.sh kube-apiserver|etcd|kubectl|setup-envtest|tofu|golangci-lint|tfplugindocs|goreleaser|go-licenses|govulncheck|actionlint|editorconfig-checker|cyclonedx-gomod|vale|gremlins
#   tools/build.sh --path NAME      only prints where it is or would be
#
# K8S_VERSION=v1.36.3 names another kube-apiserver and kubectl than the pinned ones, and the etcd that they are developed
# with. CONTROLPLANE=source downloads none of them, and uses no downloaded one.
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
  setup-envtest)  dir=. module=sigs.k8s.io/controller-runtime/tools/setup-envtest package=$module ;;
  golangci-lint)  dir=. module=github.com/golangci/golangci-lint/v2 package=github.com/golangci/golangci-lint/v2/cmd/golangci-lint ;;
  tfplugindocs)   dir=. module=github.com/hashicorp/terraform-plugin-docs package=github.com/hashicorp/terraform-plugin-docs/cmd/tfplugindocs ;;
  goreleaser)     dir=. module=github.com/goreleaser/goreleaser/v2 package=github.com/goreleaser/goreleaser/v2 ;;
  go-licenses)    dir=. module=github.com/google/go-licenses/v2 package=github.com/google/go-licenses/v2 ;;
  govulncheck)    dir=. module=golang.org/x/vuln package=golang.org/x/vuln/cmd/govulncheck ;;
  gremlins)       dir=. module=github.com/go-gremlins/gremlins package=github.com/go-gremlins/gremlins/cmd/gremlins ;;
  actionlint)     dir=actionlint module=github.com/rhysd/actionlint package=github.com/rhysd/actionlint/cmd/actionlint ;;
  vale)           dir=vale module=github.com/vale-cli/vale/v3 package=github.com/vale-cli/vale/v3/cmd/vale ;;
  editorconfig-checker)
    dir=. module=github.com/editorconfig-checker/editorconfig-checker/v3
    package=$module/cmd/editorconfig-checker ;;
  cyclonedx-gomod)
    dir=. module=github.com/CycloneDX/cyclonedx-gomod
    package=$module/cmd/cyclonedx-gomod ;;
  *) echo "$0: unknown tool '$name'" >&2 && exit 2 ;;
esac
pinned() { awk -v m="$1" '$1 == m && $2 ~ /^v/ { print $2; exit }' "$tools/$dir/go.mod"; }
version=$(pinned "$module")

refuse() {
  echo "K8S_VERSION=$K8S_VERSION $*" >&2
  exit 2
}
list='`go list -m -versions k8s.io/kubernetes` lists what there is.'
instead='Or unset it, and have KUBEBUILDER_ASSETS name a folder with the etcd and the kube-apiserver to use.'
case $(uname -s) in
  Darwin) cache=${XDG_CACHE_HOME:-$HOME/Library/Caches} ;;
  *)      cache=${XDG_CACHE_HOME:-$HOME/.cache} ;;
esac
cache=$cache/terraform-provider-cas

other=     # the Kubernetes version that is not the pinned one
download=  # the folder of the release archive, which has all three
if [ "$dir" = controlplane ]; then
  kubernetes=${K8S_VERSION:-$(pinned k8s.io/kubernetes)}
  [[ $kubernetes =~ ^v1\.[0-9]+\.[0-9]+(-(alpha|beta|rc)\.[0-9]+)?$ ]] ||
    refuse "is not a version of Kubernetes, as v1.36.3 is. $list"
  if [ "$kubernetes" != "$(pinned k8s.io/kubernetes)" ]; then
    other=$kubernetes
    version=$other
    [ "$name" != etcd ] || version=of-kubernetes-$other
  fi
  case ${CONTROLPLANE:-} in
    '') download=$cache/envtest-$kubernetes ;;
    source) ;;
    *)
      echo "CONTROLPLANE=$CONTROLPLANE is unknown. CONTROLPLANE=source builds etcd and kube-apiserver from source." >&2
      exit 2
      ;;
  esac
fi

bin=$cache/$name-$version/$name
[ -z "$download" ] || [ ! -x "$download/$name" ] || bin=$download/$name
if [ -n "$only_path" ] || [ -x "$bin" ]; then
  echo "$bin"
  exit
fi
# A kube-apiserver that was built stands for an archive that was not available: nothing asks for it again.
if [ -n "$download" ] && [ ! -x "$cache/kube-apiserver-$kubernetes/kube-apiserver" ] &&
  "$tools/download.sh" "$kubernetes" "$download"; then
  echo "$download/$name"
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
cgo=0
trimpath=-trimpath
if [ "$name" = setup-envtest ]; then
  # The first make demo waits for it: it shares the standard library that was compiled for the provider.
  cgo=$(go env CGO_ENABLED)
  trimpath=
elif [ "$name" = vale ]; then
  cgo=1 # its parsers are written in C
  compiler=$(go env CC)
  command -v "${compiler%% *}" >/dev/null || {
    echo "$name $version: needs a C compiler: '${compiler%% *}' is not on the PATH (CC names another one)" >&2
    exit 1
  }
fi
say "not in the cache; building it once, which may take minutes"
say "fetching what it is built from"
mkdir -p "$(dirname "$bin")"
tmp=$(mktemp -d "$bin.XXXXXX")
trap 'rm -rf "$tmp"; rmdir "$(dirname "$bin")" 2>/dev/null || true' EXIT # the latter where nothing was built
if [ -z "$other" ]; then
  export GOFLAGS=-mod=readonly
  cd "$tools/$dir"
else
  # Its own go.mod, with each staging module taken from where it is published: k8s.io/api of v1.36.3 is v0.36.3.
  export GOFLAGS=-mod=mod GOWORK=off
  mkdir "$tmp/module"
  cd "$tmp/module"
  echo "module controlplane" >go.mod
  gomod=$(go list -m -f '{{.GoMod}}' "k8s.io/kubernetes@$other" 2>stderr) ||
    refuse "cannot be fetched. $list"$'\n'"$(<stderr)"
  grep -q '=> \./staging/src/k8s\.io/apiserver' "$gomod" || refuse "is too old to be built. $list $instead"
  awk -v version="$other" -v staging="v0${other#v1}" '
    $1 == "module" { print "module controlplane\n\nrequire k8s.io/kubernetes " version; next }
    { sub(/=> \.\/staging\/src\/.*/, "=> " $1 " " staging); print }
  ' "$gomod" >go.mod
fi
build() {
  local total
  total=$(go list -deps "$package" | wc -l) &&
    CGO_ENABLED=$cgo go build -v $trimpath -buildvcs=false -ldflags "$ldflags" -o "$tmp/$name" "$package" 2>&1 |
    awk -v total=$((total)) -v prefix="$name $version" -f "$tools/progress.awk" >&2
}
build || {
  [ -z "$other" ] || refuse "does not build with $(go env GOVERSION), for the reason above. $list $instead"
  exit 1
}
mv "$tmp/$name" "$bin" # atomic: a parallel build of the same tool is wasted, never harmful
say "done"
echo "$bin"
