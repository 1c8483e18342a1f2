kubectl patch configmap flags --namespace shop --patch '{"data": {"new_checkout": "off"}}'
