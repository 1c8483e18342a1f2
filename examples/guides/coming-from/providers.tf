terraform {
  required_providers {
    cas = {
      source  = "terraform-cas/cas"
      version = ">= 0.1"
    }
    kubernetes = {
      source  = "hashicorp/kubernetes" # until the move has been applied everywhere
      version = ">= 2.36"
    }
  }
}
