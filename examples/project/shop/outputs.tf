output "port" {
  description = "Port of the shop, which no other service has."
  value       = cas_configmap_allocation.port.number
}
