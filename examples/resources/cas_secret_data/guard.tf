variable "password" {
  type      = string
  ephemeral = true
}

# Writes the password only while the user is still "shop". The key user is compared, and never written.
resource "cas_secret_data" "database" {
  namespace = "shop"
  name      = "database"

  data_wo          = { password = var.password }
  expected_data_wo = { user = "shop" }
}
