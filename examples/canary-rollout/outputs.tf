output "percent" {
  description = "Share of the requests that the candidate gets, in percent."
  value       = tonumber(cas_configmap_entry.canary.value)
}

output "previous_percent" {
  description = "What the step replaced; null where the key was absent."
  value       = try(tonumber(cas_configmap_entry.canary.previous_value), null)
}

output "resource_version" {
  description = "The version of the ConfigMap that the last step made."
  value       = cas_configmap_entry.canary.resource_version
}
