# The release of Helm applies the key with "info". This configuration takes the key over.
resource "cas_configmap_entry" "log_level" {
  namespace      = "shop"
  name           = "settings"
  key            = "log_level"
  value          = "debug"
  expected_value = "info"
}
