# Writes color only while maintenance is off and lock is absent. Both are guards.
resource "cas_configmap_data" "color" {
  namespace = "shop"
  name      = "settings"

  data = {
    color = "blue"
  }
  expected_data = {
    color       = "green"
    maintenance = "off"
    lock        = null
  }
}
