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

variable "password_version" {
  type    = number
  default = 1
}

resource "cas_secret_entry" "password" {
  namespace = "shop"
  name      = "database"
  key       = "password"

  value_wo         = var.password
  value_wo_version = var.password_version
}
