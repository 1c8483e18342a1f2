data "cas_configmap_entry" "replicas" {
  namespace = "shop"
  name      = "release"
  key       = "replicas"
}

# What the key says, and 2 where there is no such key, or no such ConfigMap.
output "replicas" {
  value = data.cas_configmap_entry.replicas.exists ? tonumber(data.cas_configmap_entry.replicas.value) : 2
}
