variable "restart" {
  type    = string
  default = "2026-11-25"
}

# Restarts the Pods whenever var.restart changes.
resource "cas_object_fields" "restart" {
  api_version = "apps/v1"
  kind        = "Deployment"
  namespace   = "shop"
  name        = "green"

  fields = {
    "spec.template.metadata.annotations[\"acme.io/restarted-at\"]" = var.restart
  }
}
