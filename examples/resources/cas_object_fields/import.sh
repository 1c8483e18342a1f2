# api_version/kind/namespace/name/path1,path2; nothing between two slashes for a kind without namespaces
terraform import cas_object_fields.replicas 'apps/v1/Deployment/shop/green/spec.replicas'
