variable "image" {
  type    = string
  default = "web:2"
}

# Promotes the image that was tested, but only over the one that the test began with.
resource "cas_object_fields" "promote" {
  api_version = "apps/v1"
  kind        = "Deployment"
  namespace   = "shop"
  name        = "green"

  fields = {
    "spec.template.spec.containers[name=web].image" = var.image
  }
  expected_fields = {
    "spec.template.spec.containers[name=web].image" = "web:1"
  }
}
