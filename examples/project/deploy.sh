#!/usr/bin/env bash
# The pipeline of a team, in two jobs. The first makes a plan and keeps it; the second applies just that plan, after somebody has approved it.
#
#   ./deploy.sh shop plan
#   ./deploy.sh shop apply

set -euo pipefail
team=$1
job=$2

case $job in
plan)
  terraform -chdir="$team" init -input=false
  terraform -chdir="$team" plan -input=false -out=saved.tfplan
  ;;
apply)
  terraform -chdir="$team" init -input=false # another machine, perhaps
  terraform -chdir="$team" apply -input=false saved.tfplan
  ;;
esac
