variable "password" {
  type      = string
  ephemeral = true
}

# Created only if the Secret "database" does not exist yet.
resource "cas_secret" "database" {
  namespace = "shop"
  name      = "database"

  labels = {
    "app.kubernetes.io/name" = "shop"
  }
  data_wo = {
    user     = "shop"
    password = var.password
  }
  data_wo_version = 1 # another number writes the values again
}
