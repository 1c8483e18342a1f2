variable "role" {
  default = "arn:aws:iam::111122223333:role/deployer"
}

resource "cas_configmap_document" "deployer" {
  namespace = "kube-system"
  name      = "aws-auth"
  key       = "mapRoles"
  format    = "yaml"

  fields = {
    "[rolearn=\"${var.role}\"]" = {
      rolearn  = var.role
      username = "deployer"
      groups   = ["deployers"]
    }
  }
}
