# Makes a ConfigMap of its own, and removes it at the end.

variables {
  registry = "port-registry-test"
}

run "registry" {
  module {
    source = "./tests/registry"
  }
}

run "one_service" {
  variables {
    services = ["checkout"]
  }
  assert {
    condition     = output.ports == { checkout = 30000 }
    error_message = "The first service must have the first port."
  }
}

run "another_team" {
  module {
    source = "./tests/another-team"
  }
  variables {
    services = ["billing"]
  }
  assert {
    condition     = output.ports == { billing = 30001 }
    error_message = "Another team must have the next port."
  }
}

run "one_more_service" {
  variables {
    services = ["checkout", "search"]
  }
  assert {
    condition     = output.ports == { checkout = 30000, search = 30002 }
    error_message = "The new service must have the next port, and the other one its own."
  }
}

run "two_more_services" {
  variables {
    services = ["cart", "checkout", "search", "wishlist"]
  }
  assert {
    condition     = toset([output.ports["cart"], output.ports["wishlist"]]) == toset([30003, 30004])
    error_message = "Two new services must have the next two ports, in whatever order."
  }
  assert {
    condition     = output.ports["checkout"] == 30000 && output.ports["search"] == 30002
    error_message = "Those that were there must keep their ports."
  }
}

run "one_service_less" {
  variables {
    services = ["cart", "search", "wishlist"]
  }
  assert {
    condition     = keys(output.ports) == ["cart", "search", "wishlist"] && output.ports["search"] == 30002
    error_message = "Those that stay must keep their ports."
  }
}

run "a_service_that_comes_back" {
  variables {
    services = ["cart", "checkout", "search", "wishlist"]
  }
  assert {
    condition     = output.ports["checkout"] == 30005 && output.ports["search"] == 30002
    error_message = "A port that was given up must not be given again."
  }
}

run "range_used_up" {
  variables {
    services = ["cart", "checkout", "payment", "search", "wishlist"]
    ports    = { first = 30000, last = 30005 }
  }
  expect_failures = [cas_configmap_counter.port]
}

run "no_name_for_a_service" {
  command = plan
  variables {
    services = ["Check_Out"]
  }
  expect_failures = [var.services]
}

run "no_range" {
  command = plan
  variables {
    services = ["cart"]
    ports    = { first = 32767, last = 30000 }
  }
  expect_failures = [var.ports]
}
