kubectl patch secret database --namespace shop --patch '{"stringData": {"password": "changed by hand"}}'
