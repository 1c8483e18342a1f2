#!/usr/bin/env bash
# Writes THIRD_PARTY.md: what is linked into the provider, on any system that it is released for, and under which licence. Fails
# for a module whose licence is not known, and for a licence that is not allowed. Needs no network but for modules.
set -euo pipefail
cd "$(dirname "$0")/.."

allowed=Apache-2.0,BSD-2-Clause,BSD-3-Clause,ISC,MIT,MPL-2.0
module=$(go list -m)
licenses=$(tools/build.sh go-licenses)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# A binary that is built with -trimpath takes everything for the standard library, unless it is told where that is.
GOROOT=$(go env GOROOT)
export GOROOT
# go-licenses looks for the address of each licence, which nothing here shows: the lookups are to fail at once.
offline=(GOPROXY=off HTTP_PROXY=http://127.0.0.1:9 HTTPS_PROXY=http://127.0.0.1:9 http_proxy= https_proxy= NO_PROXY= no_proxy=)
printf '{{ range . }}{{ .Name }} {{ .LicenseName }}\n{{ end }}' >"$tmp/template"

for os in $(sed -n 's/^ *goos: \[\(.*\)\]$/\1/p' .goreleaser.yml | tr -d ,); do
  export GOOS=$os GOARCH=amd64 CGO_ENABLED=0
  go list -deps -f '{{ with .Module }}{{ .Path }}{{ end }}' . >>"$tmp/modules" # fetches what is missing, too
  for command in "report --template=$tmp/template" "check --allowed_licenses=$allowed"; do
    # shellcheck disable=SC2086 # words on purpose
    env "${offline[@]}" "$licenses" $command . >"$tmp/out" 2>"$tmp/err" || {
      grep -v '^W' "$tmp/err" >&2
      exit 1
    }
    [[ $command == check* ]] || cat "$tmp/out" >>"$tmp/found"
  done
done

awk -v own="$module" 'NF == 2 && $1 != own' "$tmp/found" | LC_ALL=C sort -u >"$tmp/list"
# Each module that go links must be there, by itself or by a folder of it that has a licence of its own.
missing=$(sort -u "$tmp/modules" | grep -vxF -e "$module" -e '' | while read -r path; do
  awk -v p="$path" '$1 == p || index($1, p "/") == 1 { found = 1 } END { exit !found }' "$tmp/list" || echo "$path"
done)
[ -z "$missing" ] || {
  printf 'linked, and not in the list of licences:\n%s\n' "$missing" >&2
  exit 1
}

{
  cat <<'MD'
# Third-Party Licences

The provider's binaries for all released systems contain these modules, besides the code of this project. `make licenses` writes
this list. go.mod contains the versions. The binaries also contain Go's standard library and runtime, under BSD-3-Clause.

| module, or what is linked of it | licence |
| --- | --- |
MD
  awk '{ printf "| %s | %s |\n", $1, $2 }' "$tmp/list"
} >THIRD_PARTY.md
