# Switches from blue to green, but only if blue is live, and green is ready.
action "cas_configmap_swap" "switch" {
  config {
    namespace     = "shop"
    name          = "settings"
    data          = { color = "green", previous = "blue" }
    expected_data = { color = "blue", previous = "green", green = "ready" }
  }
}
