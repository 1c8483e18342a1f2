# Makes a ConfigMap of its own, and removes it at the end. Which of several services gets which port is not fixed.

variables {
  registry = "port-registry-test"
}

run "registry" {
  module {
    source = "./tests/registry"
  }
}

run "two_services" {
  variables {
    services = ["cart", "checkout"]
  }
  assert {
    condition     = toset(values(output.ports)) == toset([30000, 30001])
    error_message = "The first two services must have the first two ports."
  }
}

run "another_team" {
  module {
    source = "./tests/another-team"
  }
  variables {
    services = ["billing", "invoices"]
  }
  assert {
    condition     = toset(values(output.ports)) == toset([30002, 30003])
    error_message = "Another team must have the next two ports."
  }
}

run "one_more_service" {
  variables {
    services = ["cart", "checkout", "search"]
  }
  assert {
    condition     = output.ports == merge(run.two_services.ports, { search = 30004 })
    error_message = "The new service must have the next port, and the others theirs."
  }
}

run "one_service_less" {
  variables {
    services = ["checkout", "search"]
  }
  assert {
    condition     = output.ports == { for name, port in run.one_more_service.ports : name => port if name != "cart" }
    error_message = "Those that stay must keep their ports."
  }
}

run "comes_back" {
  variables {
    services = ["cart", "checkout", "search"]
  }
  assert {
    condition     = output.ports == merge(run.one_service_less.ports, { cart = 30005 })
    error_message = "A port that was given up must not be given again."
  }
}

run "range_used_up" {
  variables {
    services = ["cart", "checkout", "search", "wishlist"]
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
