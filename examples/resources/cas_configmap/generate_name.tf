# A change of data creates a new ConfigMap with another name before the old one is deleted.
resource "cas_configmap" "release" {
  namespace     = "shop"
  generate_name = "release-"
  immutable     = true

  data = {
    version = "42"
  }

  lifecycle {
    create_before_destroy = true
  }
}

output "name" {
  value = cas_configmap.release.name
}
