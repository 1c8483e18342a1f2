# Switches the shop over: both keys in one request, but only if both are what they are expected to be.
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
