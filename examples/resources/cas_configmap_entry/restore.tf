# Closes the shop as long as the resource exists. Destroy puts the old value back.
resource "cas_configmap_entry" "open" {
  namespace = "shop"
  name      = "settings"
  key       = "open"

  value           = "no"
  expected_value  = "yes"
  deletion_policy = "restore"
}
