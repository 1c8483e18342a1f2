locals {
  flags = {
    dark_mode    = "off"
    new_checkout = "on"
  }
}

# One key for each flag. Writers of other flags cause no conflict.
resource "cas_configmap_entry" "flag" {
  for_each = local.flags

  namespace      = "shop"
  name           = "flags"
  key            = each.key
  value          = each.value
  adopt_existing = true # a flag that is as configured already is adopted
  conflict_scope = "key"
}
