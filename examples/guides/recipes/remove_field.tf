data "cas_object_fields" "web" {
  api_version = "apps/v1"
  kind        = "Deployment"
  namespace   = "shop"
  name        = "web"
  paths       = ["metadata.annotations[\"acme.io/draft\"]"]
}

# Removes the annotation, whatever it holds. If it is missing, there is nothing to do.
resource "cas_object_fields" "no_draft" {
  api_version = "apps/v1"
  kind        = "Deployment"
  namespace   = "shop"
  name        = "web"

  fields                       = { "metadata.annotations[\"acme.io/draft\"]" = null }
  expected_resource_version_wo = data.cas_object_fields.web.resource_version
  on_drift                     = "overwrite" # removes it again if somebody adds it
}
