# For plans that others read: each plan also sends its writes as a dry run, and no diagnostic quotes a ConfigMap value.
provider "cas" {
  config_path    = "~/.kube/config"
  config_context = "staging"

  plan_dry_run = true
  hide_values  = true
}
