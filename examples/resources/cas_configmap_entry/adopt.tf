# Ends with foo at 2, whether it is still 1 or was set to 2 already. Any other value is refused.
resource "cas_configmap_entry" "foo" {
  namespace = "shop"
  name      = "settings"
  key       = "foo"

  value          = "2"
  expected_value = "1"
  adopt_existing = true
}
