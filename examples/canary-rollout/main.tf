# Raises the share of requests that the candidate gets, one step at a time. The cluster is the one that KUBE_CONFIG_PATH names.

terraform {
  required_version = ">= 1.11"

  required_providers {
    cas = {
      source = "terraform-cas/cas"
    }
  }
}

locals {
  step = index(var.steps, var.percent)
}

resource "cas_configmap_entry" "canary" {
  namespace = var.namespace
  name      = var.configmap
  key       = var.key
  value     = tostring(var.percent)

  # A step is taken only from the step before. The first one, which also takes the canary back, is taken from anywhere that
  # Terraform knows of, and where the key is absent.
  expected_value = local.step > 0 ? tostring(var.steps[local.step - 1]) : null

  # And only while nobody has touched the ConfigMap since the decision was made, be it to undo a step and do it again.
  expected_resource_version_wo = var.decided_at
}
