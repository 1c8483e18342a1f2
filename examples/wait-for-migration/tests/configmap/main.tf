# The ConfigMap as the last release has left it.

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

# Without data it owns no key: the pipelines do.
resource "cas_configmap" "release" {
  namespace = var.namespace
  name      = var.configmap

  deletion_policy = "delete" # with the keys that the pipelines wrote
}

resource "cas_configmap_data" "release" {
  namespace = cas_configmap.release.namespace
  name      = cas_configmap.release.name

  data = {
    schema  = "41"
    version = "2.7.0"
  }
  on_drift        = "overwrite" # the pipelines change both keys; terraform test destroys after a refresh
  deletion_policy = "abandon"   # the keys are deleted with the ConfigMap
}
