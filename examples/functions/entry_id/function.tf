import {
  to = cas_configmap_entry.version
  id = provider::cas::entry_id("shop", "release", "version") # shop/release/version
}

resource "cas_configmap_entry" "version" {
  namespace = "shop"
  name      = "release"
  key       = "version"
  value     = "7"
}
