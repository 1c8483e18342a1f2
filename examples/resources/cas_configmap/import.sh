# namespace/name
terraform import cas_configmap.settings shop/settings
