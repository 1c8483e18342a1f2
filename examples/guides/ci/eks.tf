# Needs the AWS CLI.
provider "cas" {
  host                   = var.host
  cluster_ca_certificate = base64decode(var.cluster_ca_certificate)
  field_manager          = "shop"

  exec {
    api_version = "client.authentication.k8s.io/v1beta1"
    command     = "aws"
    args        = ["eks", "get-token", "--cluster-name", "production", "--output", "json"]
  }
}
