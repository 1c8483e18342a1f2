variable "commit" {
  type    = string
  default = "4f2a91c"
}

# A new build number for each commit.
resource "cas_configmap_counter" "build" {
  namespace = "shop"
  name      = "numbers"
  key       = "next_build"
  initial   = 1

  triggers = {
    commit = var.commit
  }
}
