data "cas_configmap" "release" {
  namespace = "shop"
  name      = "release"
}

output "keys" {
  value = data.cas_configmap.release.exists ? keys(data.cas_configmap.release.data) : []
}
