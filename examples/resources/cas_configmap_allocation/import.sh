# namespace/name/key/value
terraform import cas_configmap_allocation.port shop/pools/ports/30007
