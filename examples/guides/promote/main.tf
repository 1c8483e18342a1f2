variable "replaces" {
  type        = string
  description = "The image that production is to run until then."
}

data "cas_configmap" "staging" {
  namespace = "staging"
  name      = "release"

  lifecycle {
    postcondition {
      condition     = try(self.data.verified == self.data.image, false)
      error_message = "Staging has not verified the image that it runs."
    }
  }
}

resource "cas_configmap_data" "production" {
  namespace = "production"
  name      = "release"

  data = {
    image = data.cas_configmap.staging.data.image
  }
  expected_data = {
    image  = var.replaces
    freeze = null
  }
  deletion_policy = "abandon"
}
