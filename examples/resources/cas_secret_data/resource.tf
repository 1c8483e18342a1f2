variable "password" {
  type      = string
  ephemeral = true
}

# Writes both keys in one request, or neither.
resource "cas_secret_data" "database" {
  namespace = "shop"
  name      = "database"

  data_wo = {
    user     = "shop"
    password = var.password
  }
  data_wo_version = 1 # another number writes the values again
}
