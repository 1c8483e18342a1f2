# A network of its own for each environment. None overlaps another one in the pool.
resource "cas_configmap_allocation" "network" {
  for_each = toset(["dev", "prod"])

  namespace = "shop"
  name      = "pools"
  key       = "networks"
  claimant  = "network/${each.key}"
  cidr      = { within = ["10.0.0.0/12"], prefix = 24 }
}

output "networks" {
  value = { for name, network in cas_configmap_allocation.network : name => network.value }
}
