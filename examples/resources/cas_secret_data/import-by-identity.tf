variable "password" {
  type      = string
  ephemeral = true
}

import {
  to = cas_secret_data.database
  identity = {
    namespace = "shop"
    name      = "database"
    keys      = ["password", "user"] # all keys if you omit it
  }
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
