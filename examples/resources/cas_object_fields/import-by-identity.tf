import {
  to = cas_object_fields.replicas
  identity = {
    api_version = "apps/v1"
    kind        = "Deployment"
    namespace   = "shop"
    name        = "green"
    paths       = ["spec.replicas"]
  }
}

resource "cas_object_fields" "replicas" {
  api_version = "apps/v1"
  kind        = "Deployment"
  namespace   = "shop"
  name        = "green"

  fields = { "spec.replicas" = 2 }
}
