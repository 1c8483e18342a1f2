variable "password" {
  type      = string
  ephemeral = true
}

import {
  to = cas_secret_entry.password
  id = "shop/database/password" # namespace/name/key
}

resource "cas_secret_entry" "password" {
  namespace = "shop"
  name      = "database"
  key       = "password"

  value_wo       = var.password
  adopt_existing = true # if the key already holds it; expected_value_wo replaces another value
}
