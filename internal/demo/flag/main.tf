# Switches new_checkout on, but only if it is off. The plan fails if somebody changed the flag after the last apply.

terraform {
  required_providers {
    cas = {
      source  = "terraform-cas/cas"
      version = ">= 0.1"
    }
  }
}

provider "cas" {
  config_path = var.config_path
}

resource "cas_configmap_entry" "new_checkout" {
  namespace = var.namespace
  name      = "flags"
  key       = "new_checkout"

  value          = var.value
  expected_value = "off"
}

variable "config_path" {
  type = string
}

variable "namespace" {
  type = string
}

variable "value" {
  type    = string
  default = "on"
}
