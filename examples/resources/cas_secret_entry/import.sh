# namespace/name/key
terraform import cas_secret_entry.password shop/database/password
