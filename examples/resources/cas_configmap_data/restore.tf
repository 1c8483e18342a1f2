# For as long as the resource exists, the shop is closed. Destroying it puts back what the keys held before, and removes the
# one that was not there.
resource "cas_configmap_data" "closed" {
  namespace = "shop"
  name      = "settings"

  data = {
    open   = "no"
    banner = "Closed on Monday"
  }
  expected_data = {
    open = "yes"
  }
  deletion_policy = "restore"
}
