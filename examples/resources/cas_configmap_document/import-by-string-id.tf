import {
  to = cas_configmap_document.log_level
  id = "shop/settings/config.yaml/yaml/log.level" # namespace/name/key/format/path1,path2
}

resource "cas_configmap_document" "log_level" {
  namespace = "shop"
  name      = "settings"
  key       = "config.yaml"
  format    = "yaml"

  fields = { "log.level" = "info" }
}
