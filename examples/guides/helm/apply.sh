kubectl apply --server-side --field-manager helm --filename manifest.yaml
