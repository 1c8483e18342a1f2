list "cas_configmap_entry" "settings" {
  provider = cas

  config {
    namespace = "shop"
    name      = "settings"
  }
}
