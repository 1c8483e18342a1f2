import {
  to = cas_configmap_document.log_level
  identity = {
    namespace = "shop"
    name      = "settings"
    key       = "config.yaml"
    format    = "yaml"
    paths     = ["log.level"]
  }
}

resource "cas_configmap_document" "log_level" {
  namespace = "shop"
  name      = "settings"
  key       = "config.yaml"
  format    = "yaml"

  fields = { "log.level" = "info" }
}
