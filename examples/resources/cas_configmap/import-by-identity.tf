import {
  to = cas_configmap.settings
  identity = {
    namespace = "shop"
    name      = "settings"
  }
}

resource "cas_configmap" "settings" {
  namespace = "shop"
  name      = "settings"

  data = {
    foo = "1"
  }
}
