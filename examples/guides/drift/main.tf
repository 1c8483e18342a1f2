# Switches new_checkout on, but only if it is off. A plan stops if somebody changes it by hand later.
resource "cas_configmap_entry" "new_checkout" {
  namespace = "shop"
  name      = "flags"
  key       = "new_checkout"

  value          = "on"
  expected_value = "off"
}
