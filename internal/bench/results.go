package main

// results is what all parts found.
type results struct {
	CLI []cliRow
}
