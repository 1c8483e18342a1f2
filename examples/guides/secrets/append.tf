variable "line" {
  type      = string
  ephemeral = true
}

ephemeral "cas_secret_entry" "users" {
  namespace = "shop"
  name      = "database"
  key       = "users"
}

# Appends a line to the list. The value and its expectation come from one read, so no line of another writer is lost.
resource "cas_secret_entry" "users" {
  namespace = "shop"
  name      = "database"
  key       = "users"

  value_wo          = "${ephemeral.cas_secret_entry.users.value}${var.line}\n"
  expected_value_wo = ephemeral.cas_secret_entry.users.value
  value_wo_version  = 1
  conflict_scope    = "key"
}
