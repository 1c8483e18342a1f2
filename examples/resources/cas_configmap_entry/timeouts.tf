resource "cas_configmap_entry" "foo" {
  namespace = "shop"
  name      = "settings"
  key       = "foo"

  value          = "2"
  expected_value = "1"

  timeouts = {
    create = "30s"
    read   = "10s"
    update = "30s"
    delete = "30s"
  }
}
