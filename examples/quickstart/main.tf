# Swaps foo from "1" to "2" in a ConfigMap that exists already, and only if it is "1".
#
#   kubectl create configmap testmap --from-literal=foo=1
#   terraform plan -out=swap.tfplan
#   terraform apply swap.tfplan

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

resource "cas_configmap_entry" "foo" {
  namespace = var.namespace
  name      = "testmap"
  key       = "foo"

  value          = var.value
  expected_value = var.expected_value
}

output "resource_version" {
  description = "The version of the ConfigMap that the write made."
  value       = cas_configmap_entry.foo.resource_version
}

output "previous_value" {
  description = "What the write replaced."
  value       = cas_configmap_entry.foo.previous_value
}
