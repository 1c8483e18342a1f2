removed {
  from = cas_configmap_data.release

  lifecycle {
    destroy = false # the keys stay
  }
}

resource "kubernetes_config_map_v1_data" "release" {
  metadata {
    namespace = "shop"
    name      = "settings"
  }
  data = {
    color   = "blue"
    version = "1"
  }
  force = true # what this provider wrote has its name in managedFields
}
