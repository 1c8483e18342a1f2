# All ConfigMaps of the shop, but for the one that Kubernetes puts into every namespace.
list "cas_configmap" "shop" {
  provider = cas
  limit    = 1000

  config {
    namespace      = "shop"
    label_selector = "app=shop"
    field_selector = "metadata.name!=kube-root-ca.crt"
  }
}
