provider "cas" {
  config_path    = "~/.kube/config"
  config_context = "staging"
  proxy_url      = var.proxy_url
}
