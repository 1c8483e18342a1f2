package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestMedianAndRatio(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		a, b   []float64
		median float64
		ratio  float64
	}{
		"nothing":                      {nil, nil, 0, 0},
		"one":                          {[]float64{3}, []float64{2}, 3, 1.5},
		"odd, not sorted":              {[]float64{9, 1, 2}, []float64{1, 1, 1}, 2, 2},
		"even":                         {[]float64{4, 1, 2, 3}, []float64{1, 1, 1, 1}, 2.5, 2.5},
		"a slow round was so for both": {[]float64{10, 110, 30}, []float64{10, 100, 20}, 30, 1.1},
		"a floor of zero has no ratio": {[]float64{1, 1}, []float64{0, 1}, 1, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := []float64{median(test.a), ratio(test.a, test.b)}
			if diff := cmp.Diff([]float64{test.median, test.ratio}, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestIntervalOfOrderStatistics(t *testing.T) {
	t.Parallel()
	values := make([]float64, 20)
	for i := range values {
		values[i] = float64((i*7)%20 + 1) // 1 to 20, not sorted
	}
	// The tables of the sign test have the ranks.
	for n, want := range map[int][]float64{0: {0, 0}, 5: {1, 5}, 6: {1, 6}, 8: {1, 8}, 9: {2, 8}, 12: {3, 10}, 20: {6, 15}} {
		few := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { return v > float64(n) })
		low, high, ok := interval(few)
		if diff := cmp.Diff(want, []float64{low, high}); diff != "" || ok != (n >= 6) {
			t.Errorf("%d values: %v %s", n, ok, diff)
		}
	}
}

func TestAlternateRunsBackwardsEveryOtherRound(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	if err := alternate(3, []string{"a", "b", "c"}, func(s string) error {
		got.WriteString(s)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got.String() != "abccbaabc" {
		t.Errorf("got %s", got.String())
	}
	failed := errors.New("failed")
	if err := alternate(2, []string{"a"}, func(string) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
}
