# The port that the firewall knows already, or an error that names who has it.
resource "cas_configmap_allocation" "gateway" {
  namespace = "shop"
  name      = "pools"
  key       = "ports"
  claimant  = "shop/gateway"
  numbers   = { from = 30000, to = 30999 }
  prefer    = "30443"
}
