resource "cas_configmap_entry" "corefile" {
  namespace = "kube-system"
  name      = "coredns"
  key       = "Corefile"

  value           = file("${path.module}/Corefile")        # the new Corefile
  expected_value  = file("${path.module}/Corefile.before") # what it was made from
  deletion_policy = "restore"
}
