# Closes the shop as long as the resource exists. Destroy puts the old value of open back, and removes banner, which did not exist.
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
