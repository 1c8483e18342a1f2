resource "kubernetes_config_map_v1_data" "config" {
  metadata {
    namespace = "shop"
    name      = "settings"
  }
  data = {
    "config.yaml" = yamlencode({
      log  = { level = "info" }
      jobs = [{ name = "api", every = "30s" }]
    })
  }
  force = true
}
