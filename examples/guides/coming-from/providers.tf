terraform {
  required_providers {
    cas = {
      source = "terraform-cas/cas"
    }
    kubernetes = {
      source = "hashicorp/kubernetes" # until the move has been applied everywhere
    }
  }
}
