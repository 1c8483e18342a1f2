# Makes a Secret of its own, and removes it at the end. There is no database: its provider is mocked. What is refused by the cluster ends a test
# with an error: that it is refused is not for here, and shown in the README.

mock_provider "postgresql" {}

variables {
  secret           = "checkout-database-test"
  current_password = "" # without it, terraform test 1.11 refuses each apply
}

run "secret" {
  module {
    source = "./tests/secret"
  }
}

run "makes_a_password" {
  variables {
    rotation = 1
  }
  assert {
    condition     = output.rotation == "1"
    error_message = "The role must get the first password."
  }
}

run "keeps_it" {
  command = plan # in which a write would make the version unknown
  variables {
    rotation = 1
  }
  assert {
    condition     = output.secret_version != null
    error_message = "The same rotation must not write twice, though each run has another random password."
  }
}

run "rotates" {
  variables {
    rotation = 2
  }
  assert {
    condition     = output.rotation == "2"
    error_message = "The role must get the second password."
  }
}

run "has_no_rotation_0" {
  command = plan
  variables {
    rotation = 0
  }
  expect_failures = [var.rotation]
}
