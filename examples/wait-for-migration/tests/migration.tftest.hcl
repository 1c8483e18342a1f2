# Makes a ConfigMap of its own, and removes it at the end. Runs come one after another here, so that none has to wait; the README has two
# pipelines at a time.

variables {
  configmap        = "checkout-release-test"
  schema           = 42
  command          = "echo migrating to $SCHEMA"
  release          = "2.8.0"
  previous_release = "2.7.0"
}

run "configmap" {
  module {
    source = "./tests/configmap"
  }
}

run "would_wait" {
  command = plan
  module {
    source = "./rollout"
  }
  expect_failures = [check.schema]
}

run "migrates" {
  module {
    source = "./migrate"
  }
  assert {
    condition     = output.schema == 42
    error_message = "The schema must be 42."
  }
}

run "releases" {
  module {
    source = "./rollout"
  }
  assert {
    condition     = output.release == "2.8.0"
    error_message = "2.8.0 must be released."
  }
}

run "migrates_further" {
  module {
    source = "./migrate"
  }
  variables {
    schema = 43
  }
  assert {
    condition     = output.schema == 43
    error_message = "The schema must be 43."
  }
}

# It was released with 42, and runs with 43 as well: check.schema would fail the run.
run "stays_released" {
  module {
    source = "./rollout"
  }
  assert {
    condition     = output.release == "2.8.0"
    error_message = "2.8.0 must still be released."
  }
}

run "no_version" {
  command = plan
  module {
    source = "./rollout"
  }
  variables {
    release = "latest"
  }
  expect_failures = [var.release]
}

run "no_schema" {
  command = plan
  module {
    source = "./migrate"
  }
  variables {
    schema = 42.5
  }
  expect_failures = [var.schema]
}
