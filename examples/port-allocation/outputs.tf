output "ports" {
  description = "The port of each service."
  value       = { for name, port in cas_configmap_counter.port : name => port.value }
}
