# Sets foo to 2 if it is 1, and takes it over if it is already 2. Any other value is refused.
resource "cas_configmap_entry" "foo" {
  namespace = "shop"
  name      = "settings"
  key       = "foo"

  value          = "2"
  expected_value = "1"
  adopt_existing = true
}
