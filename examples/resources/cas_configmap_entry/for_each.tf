locals {
  # By ConfigMap key: the expected value and the new one.
  changes = {
    log_level = { from = "info", to = "debug" }
    replicas  = { from = "2", to = "3" }
  }
}

# The keys of for_each are ConfigMap keys, so each instance keeps its key when the map changes.
resource "cas_configmap_entry" "settings" {
  for_each = local.changes

  namespace      = "shop"
  name           = "settings"
  key            = each.key
  value          = each.value.to
  expected_value = each.value.from
}
