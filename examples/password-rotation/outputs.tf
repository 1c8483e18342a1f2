output "rotation" {
  description = "Number of the rotation that the Secret and the database are at."
  value       = postgresql_role.checkout.password_wo_version
}

output "secret_version" {
  description = "Version of the Secret that the last rotation made."
  value       = cas_secret_entry.password.resource_version
}
