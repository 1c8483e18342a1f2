provider "cas" {
  host                   = var.host
  cluster_ca_certificate = base64decode(var.cluster_ca_certificate)

  exec {
    api_version = "client.authentication.k8s.io/v1beta1"
    command     = "aws"
    args        = ["eks", "get-token", "--cluster-name", var.cluster_name]
    env = {
      AWS_PROFILE = "staging"
    }
  }
}
