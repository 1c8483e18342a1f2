variable "password" {
  type      = string
  ephemeral = true
}

moved {
  from = kubernetes_secret_v1_data.database
  to   = cas_secret_data.database
}

resource "cas_secret_data" "database" {
  namespace = "shop"
  name      = "database"

  data_wo = {
    user     = "shop"
    password = var.password
  }
  adopt_existing = true # if the keys already hold the values; expected_data_wo replaces others
}
