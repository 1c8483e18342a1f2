terraform {
  required_providers {
    cas = {
      source = "terraform-cas/cas"
    }
  }
}

provider "cas" {
  config_path = "~/.kube/config"
}
