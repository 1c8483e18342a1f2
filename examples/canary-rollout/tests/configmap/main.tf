# The ConfigMap that the service's chart would have made.

terraform {
  required_providers {
    cas = {
      source = "terraform-cas/cas"
    }
  }
}

variable "namespace" {
  type    = string
  default = "shop"
}

variable "configmap" {
  type = string
}

resource "cas_configmap" "traffic" {
  namespace = var.namespace
  name      = var.configmap
}
