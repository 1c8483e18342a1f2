variable "host" {
  type = string
}

variable "cluster_ca_certificate" {
  type = string # base64
}

# Whose token it is, KUBE_TOKEN says: an argument would be stored in the saved plan.
provider "cas" {
  host                   = var.host
  cluster_ca_certificate = base64decode(var.cluster_ca_certificate)
}

resource "cas_configmap_entry" "foo" {
  namespace = "shop"
  name      = "settings"
  key       = "foo"

  value          = "2"
  expected_value = "1"
}
