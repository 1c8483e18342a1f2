# For production: what somebody else changed is never overwritten, a wrong name fails the plan, and a destroy leaves the keys.
provider "cas" {
  config_path    = "~/.kube/config"
  config_context = "staging"

  defaults = {
    on_drift        = "error"
    missing_object  = "error"
    deletion_policy = "abandon"
  }
}
