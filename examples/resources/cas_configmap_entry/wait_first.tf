# Pipeline A: migrates the schema from 41 to 42.
resource "cas_configmap_entry" "schema" {
  namespace = "shop"
  name      = "settings"
  key       = "schema"

  value           = "42"
  expected_value  = "41"
  conflict_scope  = "key"
  deletion_policy = "abandon"
}
