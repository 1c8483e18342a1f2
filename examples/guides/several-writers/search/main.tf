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
  field_manager = "search"
}

resource "cas_configmap_entry" "timeout" {
  name  = "settings"
  key   = "search_timeout"
  value = "2s"
}
