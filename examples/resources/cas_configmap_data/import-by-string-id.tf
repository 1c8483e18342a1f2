import {
  to = cas_configmap_data.release
  id = "shop/settings:color,version" # namespace/name:key1,key2, or namespace/name for all keys
}

resource "cas_configmap_data" "release" {
  namespace = "shop"
  name      = "settings"

  data = {
    color   = "green"
    version = "1"
  }
}
