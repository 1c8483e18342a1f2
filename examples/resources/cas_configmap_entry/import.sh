# namespace/name/key
terraform import cas_configmap_entry.foo shop/settings/foo
