# Stands for what needs the new schema.
resource "terraform_data" "rollout" {
  input = "2.0"

  lifecycle {
    action_trigger {
      events  = [before_create, before_update]
      actions = [action.cas_configmap_swap.migrated]
    }
  }
}

# Writes nothing: it waits until the migration is done.
action "cas_configmap_swap" "migrated" {
  config {
    namespace      = "shop"
    name           = "settings"
    expected_data  = { schema = "42" }
    wait_for_match = "10m"
  }
}
