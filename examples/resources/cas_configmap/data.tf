# All keys are managed: what others add is drift, and the next apply removes it.
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
