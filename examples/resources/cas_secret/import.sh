# namespace/name
terraform import cas_secret.database shop/database
