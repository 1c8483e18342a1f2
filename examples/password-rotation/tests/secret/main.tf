# The Secret that the service's chart would have made.

terraform {
  required_providers {
    cas = {
      source = "terraform-cas/cas"
    }
    postgresql = { # OpenTofu mocks it here, too
      source = "cyrilgdn/postgresql"
    }
  }
}

variable "namespace" {
  type    = string
  default = "shop"
}

variable "secret" {
  type = string
}

resource "cas_secret" "database" {
  namespace = var.namespace
  name      = var.secret
}
