# A key holds text. This is what Terraform makes of other values.
resource "cas_configmap_data" "text" {
  namespace = "shop"
  name      = "settings"

  data = {
    replicas = 2                       # "2"
    ratio    = 1.0                     # "1"
    mode     = "0644"                  # without quotes: "644"
    debug    = true                    # "true"
    limits   = jsonencode({ cpu = 2 }) # "{\"cpu\":2}"

    # Without chomp, it ends in a newline. So does what file() reads.
    banner = chomp(<<-EOT
      Closed on Monday
      Open on Tuesday
    EOT
    )
  }
}
