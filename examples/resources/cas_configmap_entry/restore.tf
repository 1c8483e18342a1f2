# For as long as the resource exists, the shop is closed. Destroying it puts back what the key held before.
resource "cas_configmap_entry" "open" {
  namespace = "shop"
  name      = "settings"
  key       = "open"

  value           = "no"
  expected_value  = "yes"
  deletion_policy = "restore"
}
