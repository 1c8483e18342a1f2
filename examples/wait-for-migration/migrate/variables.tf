variable "schema" {
  description = "Version of the schema to migrate to, from the version before."
  type        = number

  validation {
    condition     = var.schema >= 1 && floor(var.schema) == var.schema
    error_message = "schema must be a whole number, 1 or more."
  }
}

variable "command" {
  description = "Shell command that migrates the database. It finds the version in the environment variable SCHEMA."
  type        = string

  validation {
    condition     = trimspace(var.command) != ""
    error_message = "command must not be empty."
  }
}

variable "namespace" {
  description = "Namespace of the ConfigMap."
  type        = string
  default     = "shop"
}

variable "configmap" {
  description = "ConfigMap that says what is released. It must exist."
  type        = string
  default     = "checkout-release"
}
