provider "cas" {
  config_paths = [
    "~/.kube/config",
    "~/.kube/staging.yaml",
  ]
  config_context = "staging"
}
