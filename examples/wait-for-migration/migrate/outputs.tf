output "schema" {
  description = "Version of the schema that the database has."
  value       = tonumber(cas_configmap_entry.schema.value)
}
