variable "license" {
  type      = string
  sensitive = true
}

# A provider cannot see that a value is sensitive. With hide_values, diagnostics show its length and SHA-256 instead.
resource "cas_configmap_entry" "license" {
  namespace = "shop"
  name      = "settings"
  key       = "license"

  value          = var.license
  adopt_existing = true
  hide_values    = true
}
