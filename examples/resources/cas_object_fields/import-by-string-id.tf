import {
  to = cas_object_fields.replicas
  id = "apps/v1/Deployment/shop/green/spec.replicas" # api_version/kind/namespace/name/path1,path2
}

resource "cas_object_fields" "replicas" {
  api_version = "apps/v1"
  kind        = "Deployment"
  namespace   = "shop"
  name        = "green"

  fields = { "spec.replicas" = 2 }
}
