variable "rotation" {
  description = "Number of the rotation. A greater one makes a new password."
  type        = number
  default     = 1

  validation {
    condition     = var.rotation >= 1 && floor(var.rotation) == var.rotation
    error_message = "rotation must be 1, 2, 3 and so on."
  }
}

variable "current_password" {
  description = "The password to replace, if somebody else set it after the last apply."
  type        = string
  default     = ""
  ephemeral   = true
}

variable "namespace" {
  description = "Namespace of the Secret."
  type        = string
  default     = "shop"
}

variable "secret" {
  description = "Secret that the service reads. It must exist."
  type        = string
  default     = "checkout-database"
}

variable "role" {
  description = "Role of the database."
  type        = string
  default     = "checkout"
}
