ephemeral "cas_secret" "database" {
  namespace = "shop"
  name      = "database"
}

# Copies all text of a Secret into another one.
resource "cas_secret" "reports" {
  namespace = "shop"
  name      = "reports"
  data_wo   = ephemeral.cas_secret.database.data
}
