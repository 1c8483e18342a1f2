# Reads what `go build -v` prints, and says how far it is: every 100 packages, of at most `total`. What the build
# cache holds is not named, so the total is an upper bound. Everything else passes through.
/^[a-zA-Z0-9._\/~-]+$/ {
  if (++n % 100 == 0) { print prefix ": compiled " n " of at most " total " packages"; fflush() }
  next
}
{ print; fflush() }
