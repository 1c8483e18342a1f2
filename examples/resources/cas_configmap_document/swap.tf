# Sets the level to debug, but only if it is info, and nobody froze the file.
resource "cas_configmap_document" "log_level" {
  namespace = "shop"
  name      = "settings"
  key       = "config.yaml"
  format    = "yaml"

  fields = { "log.level" = "debug" }
  expected_fields = {
    "log.level" = "info"
    "frozen"    = null # a guard: compared, never written
  }
}
