variable "password" {
  type      = string
  ephemeral = true
}

moved {
  from = kubernetes_secret_v1.database # or kubernetes_secret
  to   = cas_secret.database
}

resource "cas_secret" "database" {
  namespace = "shop"
  name      = "database"

  data_wo = {
    user     = "shop"
    password = var.password
  }
}
