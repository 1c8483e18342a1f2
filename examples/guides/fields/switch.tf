# Green takes over from blue, but only once it is ready.
data "cas_object_fields" "green" {
  api_version = "apps/v1"
  kind        = "Deployment"
  namespace   = "shop"
  name        = "green"
  paths       = ["spec.replicas"]
}

resource "cas_object_fields" "switch" {
  api_version = "v1"
  kind        = "Service"
  namespace   = "shop"
  name        = "web"

  fields          = { "spec.selector.color" = "green" }
  expected_fields = { "spec.selector.color" = "blue" }
  deletion_policy = "restore" # destroying this switches back

  lifecycle {
    precondition {
      condition     = data.cas_object_fields.green.values["spec.replicas"] >= 2
      error_message = "Green is too small."
    }
  }
}
