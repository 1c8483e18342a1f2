terraform {
  required_providers {
    cas = {
      source  = "terraform-cas/cas"
      version = ">= 0.1"
    }
  }
}

provider "cas" {
  config_path    = "./kubeconfig"
  config_context = "playground"
}

# Sets foo to 2, but only if it is 1.
resource "cas_configmap_entry" "foo" {
  namespace      = "default"
  name           = "testmap"
  key            = "foo"
  value          = "2"
  expected_value = "1"
}
