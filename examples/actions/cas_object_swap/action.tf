# Switches the Service from blue to green, but only if blue is live.
action "cas_object_swap" "switch" {
  config {
    api_version     = "v1"
    kind            = "Service"
    namespace       = "shop"
    name            = "web"
    fields          = { "spec.selector.color" = "green" }
    expected_fields = { "spec.selector.color" = "blue" }
  }
}
