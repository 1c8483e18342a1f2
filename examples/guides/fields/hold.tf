# Holds a rollout where it is. Nobody else may have paused it, and destroying this resumes it.
resource "cas_object_fields" "hold" {
  api_version = "apps/v1"
  kind        = "Deployment"
  namespace   = "shop"
  name        = "green"

  fields          = { "spec.paused" = true }
  expected_fields = { "spec.paused" = null }
}
