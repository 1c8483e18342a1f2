data "cas_configmap_allocations" "ports" {
  namespace = "shop"
  name      = "pools"
  key       = "ports"
  numbers   = { from = 30000, to = 30999, except = [30080] }
}

output "free_ports" {
  value = data.cas_configmap_allocations.ports.free
}

output "ports_of_each_team" {
  value = data.cas_configmap_allocations.ports.claimants
}
