removed {
  from = kubernetes_config_map_v1_data.config
  lifecycle {
    destroy = false
  }
}

resource "cas_configmap_document" "config" {
  namespace = "shop"
  name      = "settings"
  key       = "config.yaml"
  format    = "yaml"

  fields = {
    "log.level"      = "info"
    "jobs[name=api]" = { name = "api", every = "30s" }
  }
  adopt_existing = true
}
