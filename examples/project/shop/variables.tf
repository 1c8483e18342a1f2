variable "context" {
  description = "Context of the kubeconfig."
  type        = string
  default     = "production"
}

variable "namespace" {
  description = "Namespace of the shop. It must exist."
  type        = string
  default     = "shop"
}

variable "flags" {
  description = "Each flag, on or off."
  type        = map(string)

  validation {
    condition     = alltrue([for value in var.flags : contains(["on", "off"], value)])
    error_message = "A flag must be \"on\" or \"off\"."
  }
}

variable "image" {
  description = "Image of the container web."
  type        = string
}

variable "database_password" {
  description = "Password of the database. Both jobs of the pipeline get it from the secret store, as TF_VAR_database_password."
  type        = string
  ephemeral   = true
}

variable "database_password_version" {
  description = "Raise it to write another password."
  type        = number
}
