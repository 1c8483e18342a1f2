# All keys of one ConfigMap.
list "cas_configmap_entry" "settings" {
  provider = cas

  config {
    namespace = "shop"
    name      = "settings"
  }
}

# All keys of the ConfigMaps with a label.
list "cas_configmap_entry" "flags" {
  provider = cas
  limit    = 1000

  config {
    namespace      = "shop"
    label_selector = "kind=flags"
  }
}
