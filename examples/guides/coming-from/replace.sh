kubectl get configmap settings --namespace shop --output yaml >settings.yaml
grep -q '^  foo: "1"$' settings.yaml || exit 1
sed 's/^  foo: "1"$/  foo: "2"/' settings.yaml | kubectl replace --filename -
