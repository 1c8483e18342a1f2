# Needs gke-gcloud-auth-plugin, and credentials as from google-github-actions/auth.
provider "cas" {
  host                   = var.host
  cluster_ca_certificate = base64decode(var.cluster_ca_certificate)
  field_manager          = "shop"

  exec {
    api_version = "client.authentication.k8s.io/v1beta1"
    command     = "gke-gcloud-auth-plugin"
  }
}
