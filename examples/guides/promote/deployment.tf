variable "replaces" {
  type        = string
  description = "The image that production runs until then."
}

locals {
  image = "spec.template.spec.containers[name=shop].image"
}

# One read has the image and the state of its rollout.
data "cas_object_fields" "staging" {
  api_version = "apps/v1"
  kind        = "Deployment"
  namespace   = "staging"
  name        = "shop"
  paths = [
    local.image, "spec.replicas", "metadata.generation",
    "status.observedGeneration", "status.updatedReplicas", "status.availableReplicas",
  ]

  lifecycle {
    postcondition {
      condition = try(alltrue([
        self.values["status.observedGeneration"] == self.values["metadata.generation"],
        self.values["status.updatedReplicas"] == self.values["spec.replicas"],
        self.values["status.availableReplicas"] == self.values["spec.replicas"],
      ]), false)
      error_message = "Staging has not rolled out its image."
    }
  }
}

resource "cas_object_fields" "production" {
  api_version = "apps/v1"
  kind        = "Deployment"
  namespace   = "production"
  name        = "shop"

  fields = {
    (local.image) = data.cas_object_fields.staging.values[local.image]
  }
  expected_fields = {
    (local.image)                              = var.replaces
    "metadata.annotations[\"acme.io/freeze\"]" = null # a guard: compared, never written
  }
  deletion_policy = "abandon"
}
