data "cas_configmap" "release" {
  namespace = "shop"
  name      = "release"
}

# Writes a summary of the other keys, unless the ConfigMap has changed since this read.
resource "cas_configmap_entry" "summary" {
  namespace = "shop"
  name      = "release"
  key       = "summary"

  value = join(",", [
    for key, value in data.cas_configmap.release.data : "${key}=${value}" if key != "summary"
  ])
  expected_resource_version_wo = data.cas_configmap.release.resource_version
}
