# Applies saved.tfplan. Exit code 75: run the pipeline again, from the plan. Any other code than 0: a person decides.
code=0
terraform apply -input=false -no-color saved.tfplan >apply.log 2>&1 || code=$?
cat apply.log
[ "$code" -ne 0 ] || exit 0
case $(sed -n 's/^.*Error: //p' apply.log | sort -u) in
  "Compare-And-Swap Conflict" | "Write Outcome Unknown" | "API Server Unreachable" | "Operation Timed Out") exit 75 ;;
esac
exit "$code"
