moved {
  from = kubernetes_config_map_v1.settings
  to   = cas_configmap.settings
}

resource "cas_configmap" "settings" {
  namespace = "shop"
  name      = "settings"
  labels = {
    app = "shop"
  }
  data = {
    color = "green"
  }
}
