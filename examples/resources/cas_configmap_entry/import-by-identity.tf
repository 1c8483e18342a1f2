import {
  to = cas_configmap_entry.foo
  identity = {
    namespace = "shop"
    name      = "settings"
    key       = "foo"
  }
}

resource "cas_configmap_entry" "foo" {
  namespace = "shop"
  name      = "settings"
  key       = "foo"
  value     = "1"
}
