package testcluster

import (
	"os"
	"strconv"
	"testing"
)

// Seed returns what random tests draw from: the number in the variable SEED, or 1. The test logs it.
func Seed(tb testing.TB) uint64 {
	tb.Helper()
	given := os.Getenv("SEED")
	if given == "" {
		given = "1"
	}
	seed, err := strconv.ParseUint(given, 10, 32)
	if err != nil || seed == 0 {
		tb.Fatalf("SEED=%s must be a number from 1 to 4294967295", given)
	}
	tb.Logf("SEED=%d draws the same again", seed)
	return seed
}
