# Creates a ConfigMap, and deletes it at the end. A step that the provider refuses ends a test with an error, so the
# README shows these steps instead.

variables {
  configmap = "checkout-traffic-test"
}

run "configmap" {
  module {
    source = "./tests/configmap"
  }
}

run "begins_at_0" {
  variables {
    percent = 0
  }
  assert {
    condition     = output.percent == 0 && output.previous_percent == null
    error_message = "The rollout must begin at 0, where there was none."
  }
}

run "raises_to_10" {
  variables {
    percent = 10
  }
  assert {
    condition     = output.percent == 10 && output.previous_percent == 0
    error_message = "10 must have replaced 0."
  }
}

run "changes_nothing_when_run_again" {
  variables {
    percent = 10
  }
  assert {
    condition     = output.resource_version == run.raises_to_10.resource_version
    error_message = "The same step must not write twice."
  }
}

run "has_no_step_of_25" {
  command = plan
  variables {
    percent = 25
  }
  expect_failures = [var.percent]
}

run "has_no_step_down" {
  command = plan
  variables {
    percent = 100
    steps   = [0, 50, 10, 100]
  }
  expect_failures = [var.steps]
}

run "raises_to_50" {
  variables {
    percent = 50
  }
  assert {
    condition     = output.percent == 50 && output.previous_percent == 10
    error_message = "50 must have replaced 10."
  }
}

run "raises_to_100" {
  variables {
    percent = 100
  }
  assert {
    condition     = output.percent == 100 && output.previous_percent == 50
    error_message = "100 must have replaced 50."
  }
}

run "takes_it_back" {
  variables {
    percent = 0
  }
  assert {
    condition     = output.percent == 0 && output.previous_percent == 100
    error_message = "0 must have replaced 100."
  }
}
