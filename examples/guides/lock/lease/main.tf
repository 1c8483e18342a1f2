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
  field_manager = "deploy"
}

# Takes the Lease if nobody holds it, and waits up to ten minutes. Destroy releases the Lease.
resource "cas_object_fields" "lease" {
  api_version = "coordination.k8s.io/v1"
  kind        = "Lease"
  namespace   = "default"
  name        = "deploy"

  fields          = { "spec.holderIdentity" = terraform.workspace }
  expected_fields = { "spec.holderIdentity" = null }
  wait_for_match  = "10m"
}
