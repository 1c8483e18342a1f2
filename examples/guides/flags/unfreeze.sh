kubectl patch configmap flags --namespace shop --type merge --patch '{"data": {"freeze": null}}'
