data "cas_configmap" "settings" {
  namespace = "shop"
  name      = "settings"

  lifecycle {
    postcondition {
      condition     = self.exists
      error_message = "The ConfigMap shop/settings does not exist."
    }
  }
}

output "color" {
  value = data.cas_configmap.settings.data["color"]
}
