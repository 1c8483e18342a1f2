# A port that no other service has. The first one gets 30000.
resource "cas_configmap_counter" "port" {
  namespace = "shop"
  name      = "numbers"
  key       = "next_port"
  initial   = 30000
}

output "port" {
  value = cas_configmap_counter.port.value
}
