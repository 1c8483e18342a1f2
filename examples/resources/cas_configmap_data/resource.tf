# Writes both keys in one request, but only if both hold their expected values.
resource "cas_configmap_data" "release" {
  namespace = "shop"
  name      = "settings"

  data = {
    color   = "blue"
    version = "2"
  }
  expected_data = {
    color   = "green"
    version = "1"
  }
}
