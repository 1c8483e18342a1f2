import {
  to = cas_configmap_allocation.port
  id = "shop/pools/ports/30007" # namespace/name/key/value
}

resource "cas_configmap_allocation" "port" {
  namespace = "shop"
  name      = "pools"
  key       = "ports"
  claimant  = "shop/web"
  numbers   = { from = 30000, to = 30999 }
}
