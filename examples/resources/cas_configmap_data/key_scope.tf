# Other writers may change other keys of the ConfigMap between plan and apply. Only a change of these two keys is a conflict.
resource "cas_configmap_data" "release" {
  namespace = "shop"
  name      = "settings"

  data = {
    color   = "blue"
    version = "2"
  }
  adopt_existing = true
  conflict_scope = "key"
}
