# A plan never overwrites what somebody else changed, a wrong name fails it, and a destroy leaves the keys.
provider "cas" {
  config_path    = "~/.kube/config"
  config_context = "staging"

  defaults = {
    on_drift        = "error"
    deletion_policy = "abandon"
  }
}
