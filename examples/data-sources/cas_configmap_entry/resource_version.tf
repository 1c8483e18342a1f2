data "cas_configmap_entry" "candidate" {
  namespace = "shop"
  name      = "release"
  key       = "candidate"
}

# Releases the candidate, unless the ConfigMap has changed since this read.
resource "cas_configmap_entry" "version" {
  count = data.cas_configmap_entry.candidate.exists ? 1 : 0

  namespace = "shop"
  name      = "release"
  key       = "version"

  value                        = data.cas_configmap_entry.candidate.value
  expected_resource_version_wo = data.cas_configmap_entry.candidate.resource_version
}
