locals {
  # By ConfigMap key: what it must hold, and what it shall hold.
  changes = {
    log_level = { from = "info", to = "debug" }
    replicas  = { from = "2", to = "3" }
  }
}

# Instances are keyed by ConfigMap key, so that each keeps its own when the map changes.
resource "cas_configmap_entry" "settings" {
  for_each = local.changes

  namespace      = "shop"
  name           = "settings"
  key            = each.key
  value          = each.value.to
  expected_value = each.value.from
}
