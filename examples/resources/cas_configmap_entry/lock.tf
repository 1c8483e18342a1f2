variable "run" {
  description = "What tells this run of the pipeline from all others, for instance the number of its job."
  type        = string
}

# A lock: written only where the key is absent, which is waited for. Destroying it lets the next one go on.
resource "cas_configmap_entry" "lock" {
  namespace = "shop"
  name      = "settings"
  key       = "deploy_lock"

  value          = var.run
  conflict_scope = "key"
  wait_for_match = "10m"
}
