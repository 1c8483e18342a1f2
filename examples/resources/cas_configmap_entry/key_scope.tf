# Other writers may change other keys of the ConfigMap between plan and apply. Only a change of this key is a conflict.
resource "cas_configmap_entry" "leader" {
  namespace = "shop"
  name      = "settings"
  key       = "leader"

  value          = "blue"
  expected_value = "green"
  conflict_scope = "key"
}
