variable "percent" {
  description = "Share of the requests that go to the candidate, in percent: one of steps."
  type        = number

  validation {
    condition     = contains(var.steps, var.percent)
    error_message = "percent must be one of steps: ${join(", ", var.steps)}."
  }
}

variable "steps" {
  description = "The steps of the rollout, in percent."
  type        = list(number)
  default     = [0, 10, 50, 100]

  validation {
    condition     = try(var.steps[0] == 0 && reverse(var.steps)[0] == 100, false)
    error_message = "steps must lead from 0 to 100."
  }
  validation {
    condition     = alltrue([for i in range(1, length(var.steps)) : var.steps[i] > var.steps[i - 1]])
    error_message = "Each of steps must be more than the one before."
  }
}

variable "namespace" {
  description = "Namespace of the ConfigMap."
  type        = string
  default     = "shop"
}

variable "configmap" {
  description = "ConfigMap that the proxy in front of the service reads. It must exist."
  type        = string
  default     = "checkout-traffic"
}

variable "key" {
  description = "Key of the ConfigMap that holds the percentage."
  type        = string
  default     = "canary_percent"
}
