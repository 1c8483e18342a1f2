# The configuration of team A: one job of prometheus.yml.
resource "cas_configmap_document" "api" {
  namespace = "monitoring"
  name      = "prometheus"
  key       = "prometheus.yml"
  format    = "yaml"

  fields = {
    "scrape_configs[job_name=api]" = {
      job_name        = "api"
      scrape_interval = "30s"
      static_configs  = [{ targets = ["api.shop:9090"] }]
    }
  }
}
