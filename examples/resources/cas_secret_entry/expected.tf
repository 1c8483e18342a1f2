variable "new_password" {
  type      = string
  ephemeral = true
}

variable "old_password" {
  type      = string
  ephemeral = true
}

# Replaces the old password and no other, whatever else changes in the Secret.
resource "cas_secret_entry" "password" {
  namespace      = "shop"
  name           = "database"
  key            = "password"
  conflict_scope = "key"

  value_wo          = var.new_password
  expected_value_wo = var.old_password
  value_wo_version  = 2
}
