# Adds one role to the list in aws-auth, and leaves the roles of others byte by byte as they are.
resource "cas_configmap_document" "deployer" {
  namespace = "kube-system"
  name      = "aws-auth"
  key       = "mapRoles"
  format    = "yaml"

  fields = {
    "[rolearn=\"arn:aws:iam::111122223333:role/deployer\"]" = {
      rolearn  = "arn:aws:iam::111122223333:role/deployer"
      username = "deployer"
      groups   = ["deployers"]
    }
  }
}
