# Migrates the database of the service, and says so in its ConfigMap. The cluster is the one that KUBE_CONFIG_PATH names.

terraform {
  required_version = ">= 1.11"

  required_providers {
    cas = {
      source  = "terraform-cas/cas"
      version = ">= 0.1"
    }
  }
}

resource "terraform_data" "migration" {
  triggers_replace = var.schema

  provisioner "local-exec" {
    command     = var.command
    environment = { SCHEMA = var.schema }
  }
}

# Others wait for it, so it is written after the migration. It may be there already, from a run whose state was lost.
resource "cas_configmap_entry" "schema" {
  depends_on = [terraform_data.migration]

  namespace = var.namespace
  name      = var.configmap
  key       = "schema"

  value           = tostring(var.schema)
  expected_value  = tostring(var.schema - 1)
  adopt_existing  = true
  conflict_scope  = "key"     # what others write to the ConfigMap in the meantime is theirs
  deletion_policy = "abandon" # a database does not go back because a pipeline is taken down
}
