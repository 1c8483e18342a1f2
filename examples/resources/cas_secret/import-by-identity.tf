variable "password" {
  type      = string
  ephemeral = true
}

import {
  to = cas_secret.database
  identity = {
    namespace = "shop"
    name      = "database"
  }
}

resource "cas_secret" "database" {
  namespace = "shop"
  name      = "database"

  data_wo = {
    user     = "shop"
    password = var.password
  }
}
