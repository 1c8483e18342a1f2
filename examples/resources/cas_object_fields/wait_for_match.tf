# Opens the Service when all replicas of green are ready.
resource "cas_object_fields" "ready" {
  api_version = "apps/v1"
  kind        = "Deployment"
  namespace   = "shop"
  name        = "green"

  fields          = { "metadata.annotations[\"acme.io/open\"]" = "yes" }
  expected_fields = { "status.readyReplicas" = 2 }
  wait_for_match  = "10m"
}
