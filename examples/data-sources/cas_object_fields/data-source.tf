data "cas_object_fields" "green" {
  api_version = "apps/v1"
  kind        = "Deployment"
  namespace   = "shop"
  name        = "green"
  paths       = ["spec.template.spec.containers[name=web].image", "status.readyReplicas"]
}

output "image" {
  value = data.cas_object_fields.green.values["spec.template.spec.containers[name=web].image"]
}
