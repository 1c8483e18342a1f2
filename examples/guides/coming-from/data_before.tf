resource "kubernetes_config_map_v1_data" "release" {
  metadata {
    namespace = "shop"
    name      = "settings"
  }
  data = {
    color   = "green"
    version = "1"
  }
  force = true
}
