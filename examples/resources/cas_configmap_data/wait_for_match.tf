# Releases version 2 as soon as other pipelines have set schema and images.
resource "cas_configmap_data" "release" {
  namespace = "shop"
  name      = "settings"

  data = {
    color   = "blue"
    version = "2"
  }
  expected_data = {
    color   = "green"
    version = "1"
    schema  = "43"     # not in data: a guard, which this resource never writes
    images  = "pulled" # another one
  }
  conflict_scope = "key"
  wait_for_match = "10m"
}
