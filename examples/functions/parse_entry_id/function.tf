locals {
  entry = provider::cas::parse_entry_id("shop/release/version")
}

data "cas_configmap_entry" "version" {
  namespace = local.entry.namespace
  name      = local.entry.name
  key       = local.entry.key
}

output "version" {
  value = data.cas_configmap_entry.version.value
}
