resource "kubernetes_config_map_v1" "settings" { # or kubernetes_config_map
  metadata {
    namespace = "shop"
    name      = "settings"
    labels = {
      app = "shop"
    }
  }
  data = {
    color = "green"
  }
}
