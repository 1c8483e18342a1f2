# The configuration of team B: another job of the same document.
resource "cas_configmap_document" "batch" {
  namespace = "monitoring"
  name      = "prometheus"
  key       = "prometheus.yml"
  format    = "yaml"

  fields = {
    "scrape_configs[job_name=batch]" = {
      job_name       = "batch"
      static_configs = [{ targets = ["batch.shop:9090"] }]
    }
  }
}
