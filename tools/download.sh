#!/usr/bin/env bash
# Downloads etcd, kube-apiserver and kubectl of one Kubernetes version into a folder: the release archive that
# setup-envtest finds in an index of versions and checksums. An archive with another checksum is not used. A failure is one
# line and exit code 1.
#
#   tools/download.sh v1.36.3 FOLDER
#
# ENVTEST_INDEX=url names another index. ENVTEST_TIMEOUT=60 gives up after 60 seconds without a byte, instead of 10.
set -euo pipefail

version=$1
folder=$2
patience=${ENVTEST_TIMEOUT:-10}
tools=$(cd "$(dirname "$0")" && pwd)

mkdir -p "$(dirname "$folder")"
tmp=$(mktemp -d "$folder.XXXXXX")
pid=
clean_up() {
  [ -z "$pid" ] || { kill "$pid" && wait "$pid"; } 2>/dev/null || true # Ctrl-C does not reach a background process
  chmod -R u+w "$tmp"
  rm -rf "$tmp"
}
trap clean_up EXIT

fail() {
  case $* in *"checksum mismatch"*) printf 'WARNING: ' >&2 ;; esac
  echo "The release archive of Kubernetes $version is not used: $*." \
    "Building from source instead takes 6 minutes on two quiet cores, and 12 on busy ones." >&2
  exit 1
}

setup=$("$tools/build.sh" setup-envtest) || fail "setup-envtest does not build"
echo "etcd, kube-apiserver and kubectl $version: downloading the release archive" >&2
TMPDIR=$tmp "$setup" use "${version#v}" --print path --bin-dir "$tmp/store" --use-env=false \
  ${ENVTEST_INDEX:+--index "$ENVTEST_INDEX"} >"$tmp/path" 2>"$tmp/error" &
pid=$!

# setup-envtest has no timeout. Everything that it writes is in $tmp.
before=
deadline=0
while kill -0 "$pid" 2>/dev/null; do
  now=$(ls -lnR "$tmp" 2>/dev/null) || true # a file may vanish meanwhile
  if [ "$now" != "$before" ]; then
    before=$now
    deadline=$((SECONDS + patience))
  elif ((SECONDS > deadline)); then
    fail "no byte arrived for $patience seconds"
  fi
  sleep 0.1
done
wait "$pid" || fail "$(tail -n 1 "$tmp/error")"
pid=

unpacked=$(<"$tmp/path")
chmod -R u+w "$tmp/store"
for name in etcd kube-apiserver kubectl; do
  [ -x "$unpacked/$name" ] || fail "it has no $name"
done
mkdir -p "$folder"
mv -f "$unpacked"/{etcd,kube-apiserver,kubectl} "$folder" # each is atomic: a parallel download is wasted, never harmful
