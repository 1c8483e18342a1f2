# Replaces the text of a key with bytes. The key moves from data to binaryData in one atomic request.
resource "cas_configmap_entry" "prices" {
  namespace = "shop"
  name      = "settings"
  key       = "prices"

  value_base64   = base64gzip(jsonencode({ apple = 3, pear = 4 }))
  expected_value = "{}"
}
