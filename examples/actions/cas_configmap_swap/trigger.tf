variable "release" {
  type = string
}

# Stands for what rolls the release out.
resource "terraform_data" "rollout" {
  input = var.release

  lifecycle {
    action_trigger {
      events  = [after_create, after_update]
      actions = [action.cas_configmap_swap.released]
    }
  }
}

data "cas_configmap_entry" "release" {
  namespace = "shop"
  name      = "settings"
  key       = "release"
}

# Records the release after the rollout, but only over the one that the plan saw, and only if nobody froze releases.
action "cas_configmap_swap" "released" {
  config {
    namespace     = "shop"
    name          = "settings"
    data          = { release = terraform_data.rollout.output }
    expected_data = { release = data.cas_configmap_entry.release.value, freeze = null }
  }
}
