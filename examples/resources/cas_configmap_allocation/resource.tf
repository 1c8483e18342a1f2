# A port that no other service has. It goes back into the pool on destroy.
resource "cas_configmap_allocation" "port" {
  namespace = "shop"
  name      = "pools"
  key       = "ports"
  claimant  = "shop/web"
  numbers   = { from = 30000, to = 30999, except = [30080] }
}

output "port" {
  value = cas_configmap_allocation.port.number
}
