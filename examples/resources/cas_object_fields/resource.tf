# Switches the Service from blue to green, but only if blue is live, and nobody froze it.
resource "cas_object_fields" "switch" {
  api_version = "v1"
  kind        = "Service"
  namespace   = "shop"
  name        = "web"

  fields = {
    "spec.selector.color"   = "green"
    "spec.ports[name=alt]"  = { name = "alt", port = 8080 }
    "metadata.labels.draft" = null # removed
  }
  expected_fields = {
    "spec.selector.color"                      = "blue"
    "metadata.labels.draft"                    = "yes"
    "metadata.annotations[\"acme.io/freeze\"]" = null # a guard: compared, never written
  }
}
