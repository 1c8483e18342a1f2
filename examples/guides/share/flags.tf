# Switches a flag on, but only while it is off: if somebody switches the flag off later, the next apply is refused.
resource "cas_configmap_document" "new_checkout" {
  namespace = "shop"
  name      = "flags"
  key       = "flags.json"
  format    = "json"

  fields          = { "new_checkout" = true }
  expected_fields = { "new_checkout" = false }
}
