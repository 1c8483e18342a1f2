# namespace/name:key1,key2, or namespace/name for all keys
terraform import cas_configmap_data.release shop/settings:color,version
