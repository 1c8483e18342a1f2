data "cas_configmap_document" "log" {
  namespace = "shop"
  name      = "settings"
  key       = "config.yaml"
  format    = "yaml"
  paths     = ["log.level", "log.sampling"]
}

output "log_level" {
  value = try(data.cas_configmap_document.log.values["log.level"], null) # null if there is no document
}
