# Gives each service a port that no other service of the cluster has, whichever team's configuration it is in. The cluster is the one
# that KUBE_CONFIG_PATH names.

terraform {
  required_version = ">= 1.11"

  required_providers {
    cas = {
      source  = "terraform-cas/cas"
      version = ">= 0.1"
    }
  }
}

# The key holds the next free port. A service keeps the one that it took, and none is given back.
resource "cas_configmap_counter" "port" {
  for_each = var.services

  namespace = var.namespace
  name      = var.registry
  key       = "next_port"
  initial   = var.ports.first

  lifecycle {
    postcondition {
      condition     = self.value >= var.ports.first && self.value <= var.ports.last
      error_message = "${each.key} got port ${self.value}, which is not from ${var.ports.first} to ${var.ports.last}: the range is used up, or next_port was set to something else."
    }
  }
}

# Who has which port, for whoever looks at the registry. A name that another configuration has registered is refused: without an expected
# value, an entry is written only where the key is absent.
resource "cas_configmap_entry" "service" {
  for_each = var.services

  namespace      = var.namespace
  name           = var.registry
  key            = each.key
  value          = tostring(cas_configmap_counter.port[each.key].value)
  conflict_scope = "key" # other teams register theirs at any time
}
