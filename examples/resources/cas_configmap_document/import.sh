# namespace/name/key/format/path1,path2
terraform import cas_configmap_document.log_level 'shop/settings/config.yaml/yaml/log.level'
