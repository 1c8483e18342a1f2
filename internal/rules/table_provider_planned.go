package main

// providerPlanned are rules of what the provider checks in plans.
var providerPlanned = []rule{}
