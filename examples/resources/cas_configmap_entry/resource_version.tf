variable "resource_version" {
  description = "metadata.resourceVersion of the ConfigMap when the pipeline decided about this write."
  type        = string
}

# Written only if no key of the ConfigMap has changed since the pipeline decided.
resource "cas_configmap_entry" "foo" {
  namespace = "shop"
  name      = "settings"
  key       = "foo"

  value                        = "2"
  expected_value               = "1"
  expected_resource_version_wo = var.resource_version
}
