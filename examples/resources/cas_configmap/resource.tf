# Created only if there is no ConfigMap "settings" yet. data is left out: the entries own the keys.
resource "cas_configmap" "settings" {
  namespace = "shop"
  name      = "settings"

  labels = {
    "app.kubernetes.io/name" = "shop"
  }
}

resource "cas_configmap_entry" "each" {
  for_each = {
    log_level = "debug"
    replicas  = "3"
  }

  namespace = cas_configmap.settings.namespace
  name      = cas_configmap.settings.name
  key       = each.key
  value     = each.value
}
