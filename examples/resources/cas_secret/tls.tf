variable "certificate" {
  type      = string
  ephemeral = true
}

variable "private_key" {
  type      = string
  ephemeral = true
}

variable "serial" {
  description = "Another number makes a new Secret, before the old one goes."
  type        = number
  default     = 1
}

resource "cas_secret" "tls" {
  namespace     = "shop"
  generate_name = "shop-tls-"
  type          = "kubernetes.io/tls"
  immutable     = true

  data_wo = {
    "tls.crt" = var.certificate
    "tls.key" = var.private_key
  }
  data_wo_version = var.serial

  lifecycle {
    create_before_destroy = true
  }
}

output "name" {
  value = cas_secret.tls.name
}
