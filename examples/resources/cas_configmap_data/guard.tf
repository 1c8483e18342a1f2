# Writes color while maintenance is off and lock is absent. Both are guards: compared in the request that writes, never written.
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
