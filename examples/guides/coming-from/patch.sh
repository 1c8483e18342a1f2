kubectl patch configmap settings --namespace shop --type json --patch '[
  {"op": "test", "path": "/data/foo", "value": "1"},
  {"op": "replace", "path": "/data/foo", "value": "2"}
]'
