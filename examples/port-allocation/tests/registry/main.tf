# The ConfigMap that the platform team would have made.

terraform {
  required_providers {
    cas = {
      source = "terraform-cas/cas"
    }
  }
}

variable "namespace" {
  type    = string
  default = "platform"
}

variable "registry" {
  type = string
}

resource "cas_configmap" "registry" {
  namespace = var.namespace
  name      = var.registry

  deletion_policy = "delete" # with the empty pool
}
