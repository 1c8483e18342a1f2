variable "password" {
  type      = string
  ephemeral = true
}

import {
  to = cas_secret_data.database
  id = "shop/database:password,user" # namespace/name:key1,key2, or namespace/name for all keys
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
