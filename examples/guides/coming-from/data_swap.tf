resource "cas_configmap_data" "release" {
  namespace = "shop"
  name      = "settings"

  data = {
    color   = "blue"
    version = "1"
  }
  expected_data = {
    color = "green"
  }
}
