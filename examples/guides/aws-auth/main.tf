variable "present" {
  type    = bool
  default = true # false takes the role out of the list again
}

data "cas_configmap_entry" "roles" {
  namespace = "kube-system"
  name      = "aws-auth"
  key       = "mapRoles"
}

locals {
  role = {
    rolearn  = "arn:aws:iam::111122223333:role/deployer"
    username = "deployer"
    groups   = ["deployers"]
  }
  roles = yamldecode(coalesce(data.cas_configmap_entry.roles.value, "[]"))
}

# The list is there already: it is taken into the state.
import {
  to = cas_configmap_entry.roles
  id = "kube-system/aws-auth/mapRoles"
}

# Everybody else's roles as they were read, and this one, unless anything has changed since they were read.
resource "cas_configmap_entry" "roles" {
  namespace = "kube-system"
  name      = "aws-auth"
  key       = "mapRoles"

  value = yamlencode(concat(
    [for role in local.roles : role if role.rolearn != local.role.rolearn],
    [for role in [local.role] : role if var.present],
  ))
  expected_resource_version_wo = data.cas_configmap_entry.roles.resource_version
  on_drift                     = "overwrite" # what others write stays in the list
  deletion_policy              = "abandon"
}
