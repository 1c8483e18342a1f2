terraform {
  required_providers {
    cas = {
      source  = "terraform-cas/cas"
      version = ">= 0.1"
    }
  }
}

provider "cas" {
  config_path = "~/.kube/config"
}

# What the rollout reads. Hotfixes raise it too, by hand.
resource "cas_configmap_entry" "version" {
  name           = "release"
  key            = "version"
  value          = "8"
  expected_value = "7"
}
