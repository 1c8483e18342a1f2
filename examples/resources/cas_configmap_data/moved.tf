# Takes over the state of a kubernetes_config_map_v1_data, without a write.
moved {
  from = kubernetes_config_map_v1_data.release
  to   = cas_configmap_data.release
}

resource "cas_configmap_data" "release" {
  namespace = "shop"
  name      = "settings"

  data = {
    color   = "green"
    version = "1"
  }
}
