output "release" {
  description = "Version of the service that is released."
  value       = cas_configmap_data.release.data.version
}
