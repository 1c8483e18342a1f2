variable "config_path" {
  description = "Path of a kubeconfig."
  type        = string
  default     = "~/.kube/config"
}

variable "namespace" {
  description = "Namespace of the ConfigMap."
  type        = string
  default     = "default"
}

variable "value" {
  description = "Value of foo."
  type        = string
  default     = "2"
}

variable "expected_value" {
  description = "What foo must hold for the write to happen."
  type        = string
  default     = "1"
}
