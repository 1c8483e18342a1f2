import {
  to = cas_configmap_data.release
  identity = {
    namespace = "shop"
    name      = "settings"
    keys      = ["color", "version"] # all keys if you omit it
  }
}

resource "cas_configmap_data" "release" {
  namespace = "shop"
  name      = "settings"

  data = {
    color   = "green"
    version = "1"
  }
}
