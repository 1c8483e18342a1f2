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

variable "wait" {
  description = "How long this run waits for the lock."
  type        = string
  default     = "10m"
}

# A pool with one name: only one run can have it.
resource "cas_configmap_allocation" "lock" {
  name          = "rollout"
  key           = "lock"
  names         = ["deploy"]
  claimant      = terraform.workspace
  wait_for_free = var.wait
}

output "id" {
  value = cas_configmap_allocation.lock.id
}
