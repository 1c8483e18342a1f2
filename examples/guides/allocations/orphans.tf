data "cas_configmap_allocations" "ports" {
  namespace = "shop"
  name      = "pools"
  key       = "ports"
}

# What was taken before this day, or has no valid time, with the ids by which states know it. What was written by hand has no id.
output "old" {
  value = {
    for taken in data.cas_configmap_allocations.ports.taken : taken.value => taken.id
    if try(timecmp(taken.since, "2026-01-01T00:00:00Z") < 0, true)
  }
}
