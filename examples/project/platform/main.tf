# The platform team owns the ConfigMap that both teams write, a pool of ports, and the Secret of the database.
# KUBE_CONFIG_PATH names the kubeconfig, and var.context the cluster.

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
  config_context = var.context

  field_manager = "platform" # conflict messages name this team
  plan_dry_run  = true

  defaults = {
    conflict_scope = "key" # the shop may change its own keys between our plan and our apply
  }
}

variable "context" {
  description = "Context of the kubeconfig."
  type        = string
  default     = "production"
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

  lifecycle {
    prevent_destroy = true # the shop has keys in it
  }
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
  namespace       = var.namespace
  name            = "pools"
  deletion_policy = "release" # refuses to delete ports that are taken

  lifecycle {
    prevent_destroy = true
  }
}

# The shop writes the password.
resource "cas_secret" "database" {
  namespace = var.namespace
  name      = "database"

  lifecycle {
    prevent_destroy = true
  }
}
