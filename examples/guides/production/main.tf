terraform {
  required_version = ">= 1.11"

  required_providers {
    cas = {
      source  = "terraform-cas/cas"
      version = ">= 0.1"
    }
  }
}

provider "cas" {
  config_path    = "~/.kube/config"
  config_context = "production"

  field_manager = "shop"
  plan_dry_run  = true
}

resource "cas_configmap_entry" "new_checkout" {
  namespace      = "shop"
  name           = "flags"
  key            = "new_checkout"
  value          = "on"
  expected_value = "off"
}
