terraform {
  required_providers {
    cas = {
      source  = "terraform-cas/cas"
      version = ">= 0.1"
    }
  }
}

provider "cas" {
  config_path   = "~/.kube/config"
  field_manager = "checkout"
}

resource "cas_configmap_entry" "timeout" {
  name  = "settings"
  key   = "checkout_timeout"
  value = "5s"
}
