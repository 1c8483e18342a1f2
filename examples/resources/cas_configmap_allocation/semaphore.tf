# At most three runs at the same time. The fourth waits until one of them is destroyed.
resource "cas_configmap_allocation" "slot" {
  namespace     = "shop"
  name          = "pools"
  key           = "migrations"
  claimant      = "nightly"
  names         = ["a", "b", "c"]
  wait_for_free = "15m"
}
