# Manages all keys: keys that others add are drift, and the next apply removes them.
resource "cas_configmap" "settings" {
  namespace = "shop"
  name      = "settings"

  data = {
    foo = "1"
    bar = "2"
  }
  binary_data = {
    prices = base64gzip("{}")
  }
}
