data "cas_configmap_entry" "replicas" {
  namespace = "shop"
  name      = "release"
  key       = "replicas"
}

# The value of the key, or 2 if the key or the ConfigMap does not exist.
output "replicas" {
  value = data.cas_configmap_entry.replicas.exists ? tonumber(data.cas_configmap_entry.replicas.value) : 2
}
