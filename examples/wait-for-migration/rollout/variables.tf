variable "release" {
  description = "Version of the service to release."
  type        = string

  validation {
    condition     = can(regex("^\\d+\\.\\d+\\.\\d+$", var.release))
    error_message = "release must be a version such as 2.8.0."
  }
  validation {
    condition     = var.release != var.previous_release
    error_message = "release must be another version than previous_release."
  }
}

variable "previous_release" {
  description = "Version that it replaces. Any other is left alone."
  type        = string
}

variable "schema" {
  description = "Version of the schema that the release needs."
  type        = number
}

variable "wait" {
  description = "How long to wait for the schema, and for previous_release; null not to wait."
  type        = string
  default     = "15m"
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
