# A destroy leaves the keys.
provider "cas" {
  config_path    = "~/.kube/config"
  config_context = "staging"

  defaults = {
    deletion_policy = "abandon"
  }
}
