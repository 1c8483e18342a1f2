# Another team's configuration, with a state of its own.

variable "namespace" {
  type    = string
  default = "platform"
}

variable "registry" {
  type = string
}

variable "services" {
  type = set(string)
}

module "ports" {
  source = "../.."

  namespace = var.namespace
  registry  = var.registry
  services  = var.services
}

output "ports" {
  value = module.ports.ports
}
