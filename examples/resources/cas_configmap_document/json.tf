# Creates the key with the document {"new_checkout": true} if the ConfigMap lacks the key.
resource "cas_configmap_document" "new_checkout" {
  namespace = "shop"
  name      = "flags"
  key       = "flags.json"
  format    = "json"

  fields = { "new_checkout" = true }
}
