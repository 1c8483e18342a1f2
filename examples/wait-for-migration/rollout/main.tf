# Releases a version of the service as soon as the database has the schema that it needs. The cluster is the one that KUBE_CONFIG_PATH
# names.

terraform {
  required_version = ">= 1.11"

  required_providers {
    cas = {
      source  = "terraform-cas/cas"
      version = ">= 0.1"
    }
  }
}

resource "cas_configmap_data" "release" {
  namespace = var.namespace
  name      = var.configmap

  data = {
    version = var.release
  }
  expected_data = {
    version = var.previous_release
    schema  = tostring(var.schema) # not in data: a guard, compared in the request that writes
  }

  conflict_scope  = "key"
  wait_for_match  = var.wait
  deletion_policy = "abandon" # the service goes on running
}

# Once the version is released, nothing is left to write, so nothing is compared: this is, in every plan.
check "schema" {
  data "cas_configmap_entry" "schema" {
    namespace = var.namespace
    name      = var.configmap
    key       = "schema"
  }

  assert {
    condition     = try(tonumber(data.cas_configmap_entry.schema.value) >= var.schema, false)
    error_message = "Version ${var.release} needs schema ${var.schema}, and the database has ${try(coalesce(data.cas_configmap_entry.schema.value), "none")}."
  }
}
