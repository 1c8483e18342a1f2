# For plans that others are shown: each also sends its writes as a dry run, and no diagnostic quotes what a ConfigMap holds.
provider "cas" {
  config_path    = "~/.kube/config"
  config_context = "staging"

  plan_dry_run = true
  hide_values  = true
}
