# Gives a database role a new password whenever var.rotation grows, unless somebody else has rotated it meanwhile. No state and no plan has the
# password. The cluster is the one that KUBE_CONFIG_PATH names, and the database the one that PGHOST and the like name.

terraform {
  required_version = ">= 1.11"

  required_providers {
    cas = {
      source  = "terraform-cas/cas"
      version = ">= 0.1"
    }
    random = {
      source  = "hashicorp/random"
      version = ">= 3.7"
    }
    postgresql = {
      source  = "cyrilgdn/postgresql"
      version = ">= 1.26"
    }
  }
}

# Another one in each run. It is used only where the version below changes.
ephemeral "random_password" "new" {
  length  = 32
  special = false
}

# The version of the Secret that the plan saw must still be there, so two runs never write over each other. A run also stops that
# would replace a password that somebody set after the last apply, unless current_password names it.
resource "cas_secret_entry" "password" {
  namespace         = var.namespace
  name              = var.secret
  key               = "password"
  value_wo          = ephemeral.random_password.new.result
  value_wo_version  = var.rotation
  expected_value_wo = var.current_password == "" ? null : var.current_password
}

# What the Secret holds once it is written: the database gets that, also in a later run if this one fails in between.
ephemeral "cas_secret_entry" "password" {
  namespace = cas_secret_entry.password.namespace
  name      = cas_secret_entry.password.name
  key       = cas_secret_entry.password.key
}

resource "postgresql_role" "checkout" {
  name                = var.role
  login               = true
  password_wo         = ephemeral.cas_secret_entry.password.value
  password_wo_version = cas_secret_entry.password.value_wo_version
}
