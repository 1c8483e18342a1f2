# In a pod, nothing needs to be given: its service account is used.
provider "cas" {}
