data "cas_configmap_entry" "color" {
  namespace = "shop"
  name      = "settings"
  key       = "color"
}

# Imports the key where it exists. Elsewhere, the apply creates the key.
import {
  for_each = data.cas_configmap_entry.color.exists ? toset(["shop/settings/color"]) : toset([])
  to       = cas_configmap_entry.color
  id       = each.value
}

resource "cas_configmap_entry" "color" {
  namespace = "shop"
  name      = "settings"
  key       = "color"
  value     = "blue"
}
