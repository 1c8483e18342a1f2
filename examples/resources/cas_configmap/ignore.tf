provider "cas" {
  ignore_labels      = ["^team$"]
  ignore_annotations = ["^checksum/", "\\.example\\.com/"]
}

# The label "team" of another writer stays.
resource "cas_configmap" "settings" {
  namespace = "shop"
  name      = "settings"

  labels = {
    app = "shop"
  }
  annotations = {}
}
