# Each tenant gets ten VLANs: the number and the nine after it.
resource "cas_configmap_counter" "vlans" {
  for_each = toset(["blue", "green"])

  namespace = "shop"
  name      = "numbers"
  key       = "next_vlan"
  initial   = 100
  step      = 10
}

output "vlans" {
  value = { for tenant, first in cas_configmap_counter.vlans : tenant => range(first.value, first.value + 10) }
}
