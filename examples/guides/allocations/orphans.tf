data "cas_configmap_allocations" "ports" {
  namespace = "shop"
  name      = "pools"
  key       = "ports"
}

# What was taken before this day, with the ids by which states know it.
output "old" {
  value = {
    for taken in data.cas_configmap_allocations.ports.taken : taken.value => taken.id
    if timecmp(coalesce(taken.since, "1970-01-01T00:00:00Z"), "2026-01-01T00:00:00Z") < 0
  }
}
