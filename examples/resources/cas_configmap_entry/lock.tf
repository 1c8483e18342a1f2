variable "run" {
  description = "Identifies this run of the pipeline, for example the number of its job."
  type        = string
}

# A lock: the apply waits until the key is absent, and writes it. Destroy releases the lock. If an administrator removes
# the key of a dead run, and another run acquires the lock, the next apply of the first one waits as well.
resource "cas_configmap_entry" "lock" {
  namespace = "shop"
  name      = "settings"
  key       = "deploy_lock"

  value          = var.run
  conflict_scope = "key"
  wait_for_match = "10m"
}
