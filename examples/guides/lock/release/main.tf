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

variable "image" {
  type = string
}

variable "lock_id" {
  description = "The id of the lock that this run holds."
  type        = string
}

data "cas_configmap_entry" "lock" {
  name = "rollout"
  key  = "lock"

  lifecycle {
    postcondition {
      condition     = strcontains(coalesce(self.value, "-"), var.lock_id)
      error_message = "This run does not hold the lock."
    }
  }
}

# Writes the image only while the lock is as the plan saw it.
resource "cas_configmap_data" "release" {
  name = "rollout"

  data = {
    image = var.image
  }
  expected_data = {
    lock = data.cas_configmap_entry.lock.value
  }
  conflict_scope = "key"
}
