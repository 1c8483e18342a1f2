data "cas_configmap_entry" "flags" {
  namespace = "shop"
  name      = "flags"
  key       = "flags.json"
}

import {
  to = cas_configmap_entry.flags
  id = "shop/flags/flags.json"
}

# Everybody else's flags as they were read, and this one, unless anything has changed since they were read.
resource "cas_configmap_entry" "flags" {
  namespace = "shop"
  name      = "flags"
  key       = "flags.json"

  value = jsonencode(merge(
    jsondecode(coalesce(data.cas_configmap_entry.flags.value, "{}")),
    { new_checkout = true },
  ))
  expected_resource_version_wo = data.cas_configmap_entry.flags.resource_version
  on_drift                     = "overwrite" # what others write stays in the file
  deletion_policy              = "abandon"
}
