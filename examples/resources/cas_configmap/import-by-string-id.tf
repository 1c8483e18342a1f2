import {
  to = cas_configmap.settings
  id = "shop/settings" # namespace/name
}

resource "cas_configmap" "settings" {
  namespace = "shop"
  name      = "settings"

  data = {
    foo = "1"
  }
}
