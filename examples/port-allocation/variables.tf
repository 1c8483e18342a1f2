variable "services" {
  description = "Names of the services that need a port."
  type        = set(string)

  validation {
    condition     = alltrue([for name in var.services : can(regex("^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$", name))])
    error_message = "A service must have a name that Kubernetes takes: at most 63 lowercase letters, digits and dashes, the first a letter, the last no dash."
  }
}

variable "ports" {
  description = "The range of ports. All who share a registry must use the same."
  type = object({
    first = number
    last  = number
  })
  default = {
    first = 30000 # the range that Kubernetes has for node ports
    last  = 32767
  }

  validation {
    condition     = var.ports.first >= 1 && var.ports.last <= 65535 && var.ports.first <= var.ports.last
    error_message = "ports must be a range within 1 to 65535."
  }
}

variable "namespace" {
  description = "Namespace of the registry."
  type        = string
  default     = "platform"
}

variable "registry" {
  description = "ConfigMap that all teams share. It must exist."
  type        = string
  default     = "port-registry"
}
