# The shop team owns its flags, the image of its Deployment, its port, and the password of its database.
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

  field_manager = "shop" # conflict messages name this team
  plan_dry_run  = true

  defaults = {
    conflict_scope = "key" # the platform team may change its own keys between our plan and our apply
  }
}

# One key for each flag. The keys of for_each are ConfigMap keys, so each instance keeps its key.
resource "cas_configmap_entry" "flag" {
  for_each = var.flags

  namespace = var.namespace
  name      = "settings"
  key       = each.key
  value     = each.value
}

# Another tool makes the Deployment, such as Helm. The shop owns this field of it.
resource "cas_object_fields" "image" {
  api_version = "apps/v1"
  kind        = "Deployment"
  namespace   = var.namespace
  name        = "web"

  fields = {
    "spec.template.spec.containers[name=web].image" = var.image
  }
  adopt_existing = true # for the first apply: the image that runs already
}

resource "cas_configmap_allocation" "port" {
  namespace = var.namespace
  name      = "pools"
  key       = "ports"
  claimant  = "web"
  numbers   = { from = 30000, to = 30099 }
}

# The value is in no state and no plan. It is written when the version changes.
resource "cas_secret_entry" "password" {
  namespace        = var.namespace
  name             = "database"
  key              = "password"
  value_wo         = var.database_password
  value_wo_version = var.database_password_version
  conflict_scope   = "object" # with "key", each rotation would have to name the old password
}
