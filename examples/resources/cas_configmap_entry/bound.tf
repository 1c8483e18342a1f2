data "cas_configmap_entry" "foo" {
  namespace = "shop"
  name      = "settings"
  key       = "foo"
}

# Sets foo to 2 if it is 1, and if nobody has written to the ConfigMap since the plan.
resource "cas_configmap_entry" "foo" {
  namespace = "shop"
  name      = "settings"
  key       = "foo"

  value                        = "2"
  expected_value               = "1"
  expected_resource_version_wo = data.cas_configmap_entry.foo.resource_version
}
