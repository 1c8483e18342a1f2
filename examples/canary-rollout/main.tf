# Raises the share of requests that the candidate gets, one step at a time. The cluster is the one that KUBE_CONFIG_PATH names.

terraform {
  required_version = ">= 1.11"

  required_providers {
    cas = {
      source  = "terraform-cas/cas"
      version = ">= 0.1"
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

  # A step replaces only the step before. percent = 0 takes the canary back from any step that the state knows, and
  # begins where the key is missing. A value that somebody else has set since the last step is drift, and stops each step.
  expected_value = local.step > 0 ? tostring(var.steps[local.step - 1]) : null
}
