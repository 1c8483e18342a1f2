# namespace/name:key1,key2, or namespace/name for all keys
terraform import cas_secret_data.database shop/database:password,user
