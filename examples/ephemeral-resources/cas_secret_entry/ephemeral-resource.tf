ephemeral "cas_secret_entry" "password" {
  namespace = "shop"
  name      = "database"
  key       = "password"
}

# Copies the password. Neither the state nor a plan has it.
resource "cas_secret_entry" "copy" {
  namespace = "shop"
  name      = "reports"
  key       = "database_password"
  value_wo  = ephemeral.cas_secret_entry.password.value
}
