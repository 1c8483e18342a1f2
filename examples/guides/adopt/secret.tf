terraform {
  required_providers {
    cas = {
      source  = "terraform-cas/cas"
      version = ">= 0.1"
    }
  }
}

variable "password" {
  type      = string
  ephemeral = true
}

# Reads the version of the Secret, and no value.
data "cas_object_fields" "database" {
  api_version = "v1"
  kind        = "Secret"
  namespace   = "shop"
  name        = "database"
  paths       = ["metadata.resourceVersion"]
}

# Replaces whatever password the Secret has, if nobody has written to the Secret since the plan.
resource "cas_secret_entry" "password" {
  namespace = "shop"
  name      = "database"
  key       = "password"

  value_wo                     = var.password
  expected_resource_version_wo = data.cas_object_fields.database.resource_version
}
