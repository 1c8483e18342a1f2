moved {
  from = kubernetes_config_map_v1.settings # or kubernetes_config_map
  to   = cas_configmap.settings
}

resource "cas_configmap" "settings" {
  namespace = "shop"
  name      = "settings"

  data = {
    foo = "1"
  }
}
