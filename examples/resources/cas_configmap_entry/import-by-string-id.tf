import {
  to = cas_configmap_entry.foo
  id = "shop/settings/foo" # namespace/name/key
}

resource "cas_configmap_entry" "foo" {
  namespace = "shop"
  name      = "settings"
  key       = "foo"
  value     = "1"
}
