# Flags are switched only while there is no key freeze. It is compared in the request that writes, and never written.
resource "cas_configmap_data" "flags" {
  namespace = "shop"
  name      = "flags"

  data = {
    dark_mode    = "off"
    new_checkout = "on"
  }
  expected_data = {
    freeze = null
  }
  adopt_existing = true
  conflict_scope = "key"
}
