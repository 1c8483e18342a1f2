# Applied, this takes over what no state has. Destroyed, or taken out of the configuration, it is released.
import {
  to = cas_configmap_allocation.orphan
  id = "shop/pools/ports/30003"
}

resource "cas_configmap_allocation" "orphan" {
  namespace = "shop"
  name      = "pools"
  key       = "ports"
  claimant  = "nobody"
  numbers   = { from = 30000, to = 30999 }
}
