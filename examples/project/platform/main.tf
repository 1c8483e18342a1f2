# What the platform team keeps: the ConfigMap that both teams write, a pool of ports, and the Secret of the database. The cluster is the one that
# KUBE_CONFIG_PATH names.

terraform {
  required_version = ">= 1.11"

  required_providers {
    cas = {
      source = "terraform-cas/cas"
    }
  }
}

provider "cas" {
  field_manager = "platform" # conflict messages name this team
  plan_dry_run  = true

  defaults = {
    conflict_scope = "key" # the shop may change its own keys between our plan and our apply
  }
}

variable "namespace" {
  description = "Namespace of the shop. It must exist."
  type        = string
  default     = "shop"
}

# Without data: both teams write keys, each its own.
resource "cas_configmap" "settings" {
  namespace = var.namespace
  name      = "settings"
}

resource "cas_configmap_entry" "setting" {
  for_each = {
    log_level   = "info"
    maintenance = "off"
  }

  namespace = cas_configmap.settings.namespace
  name      = cas_configmap.settings.name
  key       = each.key
  value     = each.value
}

# The shop takes a port from it.
resource "cas_configmap" "pools" {
  namespace = var.namespace
  name      = "pools"
}

# The shop writes the password.
resource "cas_secret" "database" {
  namespace = var.namespace
  name      = "database"
}
