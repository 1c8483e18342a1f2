image                     = "web:1.4.0"
database_password_version = 1

flags = {
  new_checkout = "off"
  fast_search  = "on"
}
