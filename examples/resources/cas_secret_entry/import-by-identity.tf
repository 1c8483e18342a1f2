variable "password" {
  type      = string
  ephemeral = true
}

import {
  to = cas_secret_entry.password
  identity = {
    namespace = "shop"
    name      = "database"
    key       = "password"
  }
}

resource "cas_secret_entry" "password" {
  namespace = "shop"
  name      = "database"
  key       = "password"

  value_wo       = var.password
  adopt_existing = true
}
