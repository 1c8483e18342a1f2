# Created only if the ConfigMap "settings" does not exist yet. Without data, because the entries write the keys.
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
