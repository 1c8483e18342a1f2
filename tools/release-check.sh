#!/usr/bin/env bash
# Builds what a release of the last commit would consist of into dist/, and once more in another folder, to see that the same commit
# gives the same bytes. Neither signs nor publishes. What is not committed is not in it.
#
#   tools/release-check.sh                every system
#   tools/release-check.sh linux_amd64    one system, the rest of .goreleaser.yml as it is
set -euo pipefail
cd "$(dirname "$0")/.."

goreleaser=$(tools/build.sh goreleaser)
sbom=$(tools/build.sh cyclonedx-gomod)
export PATH="$(dirname "$sbom"):$PATH"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# goreleaser knows no commit without a remote, which a folder that was copied need not have.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.url
export GIT_CONFIG_VALUE_0=https://github.com/terraform-cas/terraform-provider-cas

"$goreleaser" check
[ -z "$(git status --porcelain)" ] || echo "release-check: there are changes that are not committed, and not looked at" >&2

config=.goreleaser.yml
if [ -n "${1:-}" ]; then
  sed -e "s/^    goos: .*/    goos: [${1%_*}]/" -e "s/^    goarch: .*/    goarch: [\"${1#*_}\"]/" .goreleaser.yml >"$tmp/one.yml"
  config=$tmp/one.yml
fi

# Clones $1 into $2, and builds there.
snapshot() {
  git clone -q "$1" "$2"
  (cd "$2" && "$goreleaser" release --snapshot --skip=publish,sign --config "$config")
}
snapshot . "$tmp/first"
snapshot "$tmp/first" "$tmp/a folder of another name" # of the same commit, whatever was committed meanwhile

diff "$tmp"/first/dist/*_SHA256SUMS "$tmp/a folder of another name"/dist/*_SHA256SUMS || {
  echo "release-check: the same commit was built twice, and the checksums differ" >&2
  exit 1
}
rm -rf dist
mv "$tmp/first/dist" dist
