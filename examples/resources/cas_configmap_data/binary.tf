# Text and bytes in one request. Bytes are base64, also in expectations.
resource "cas_configmap_data" "prices" {
  namespace = "shop"
  name      = "settings"

  data = {
    currency = "EUR"
  }
  binary_data = {
    prices = base64gzip(jsonencode({ apple = 3, pear = 4 }))
  }
  expected_binary_data = {
    prices = base64encode("old")
  }
}
