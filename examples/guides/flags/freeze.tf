# Switches the flags only while the key freeze is missing. The request that writes compares the key, and never writes it.
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
  on_drift       = "overwrite" # the freeze protects a flag that somebody switched by hand
  adopt_existing = true
  conflict_scope = "key"
}
