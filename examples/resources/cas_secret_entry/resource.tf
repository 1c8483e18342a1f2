variable "password" {
  type      = string
  ephemeral = true
}

# Writes the password, but only if the key is absent at first, and the Secret is unchanged since the plan later.
resource "cas_secret_entry" "password" {
  namespace = "shop"
  name      = "database"
  key       = "password"

  value_wo         = var.password
  value_wo_version = 1 # another number writes the value again
}
