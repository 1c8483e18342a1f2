kubectl patch configmap flags --namespace shop --type merge --patch '{"data": {"new_checkout": "off", "freeze": "Jane, incident 42"}}'
