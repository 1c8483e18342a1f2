# Without an expected value, a new entry is written only if the key is absent.
resource "cas_configmap_entry" "banner" {
  namespace = "shop"
  name      = "settings"
  key       = "banner"
  value     = "Closed on Monday"
}
