terraform {
  required_version = ">= 1.11"

  required_providers {
    cas = {
      source  = "terraform-cas/cas"
      version = ">= 0.1"
    }
  }
}

variable "host" {
  type = string
}

variable "cluster_ca_certificate" {
  type = string # base64
}

resource "cas_configmap_entry" "new_checkout" {
  namespace      = "shop"
  name           = "flags"
  key            = "new_checkout"
  value          = "on"
  expected_value = "off"
}
