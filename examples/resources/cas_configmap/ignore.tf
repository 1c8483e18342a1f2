provider "cas" {
  ignore_labels      = ["^team$"]
  ignore_annotations = ["^checksum/", "\\.example\\.com/"]
}

# Whatever sets the label "team" keeps it.
resource "cas_configmap" "settings" {
  namespace = "shop"
  name      = "settings"

  labels = {
    app = "shop"
  }
  annotations = {}
}
