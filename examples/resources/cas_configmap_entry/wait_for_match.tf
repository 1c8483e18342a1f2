# Pipeline B: migrates the schema from 42 to 43, as soon as pipeline A is done. They may start in any order.
resource "cas_configmap_entry" "schema" {
  namespace = "shop"
  name      = "settings"
  key       = "schema"

  value           = "43"
  expected_value  = "42"
  conflict_scope  = "key"
  wait_for_match  = "10m"
  deletion_policy = "abandon"
}
