# Keeps new Pods off a Node, and leaves all other taints alone. Destroying it takes this taint away.
resource "cas_object_fields" "drain" {
  api_version = "v1"
  kind        = "Node"
  name        = "worker-7"

  fields = {
    "spec.taints[key=maintenance,effect=NoSchedule]" = { key = "maintenance", effect = "NoSchedule", value = "disk" }
  }
}
