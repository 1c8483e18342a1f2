package main

import (
	"math"
	"slices"
)

// alternate has every subject run once in each round, in turn, so that what the machine does besides meets all of them
// alike. Every other round goes backwards: none always comes after the same one.
func alternate[S any](rounds int, subjects []S, run func(subject S) error) error {
	order := slices.Clone(subjects)
	for range rounds {
		for _, subject := range order {
			if err := run(subject); err != nil {
				return err
			}
		}
		slices.Reverse(order)
	}
	return nil
}

// median is the value in the middle, of an even number the mean of the two there, and zero of none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}

// paired returns the ratio of a to b in each round. A machine that was slow in a round was slow for both.
func paired(a, b []float64) (each []float64) {
	for i := range min(len(a), len(b)) {
		if b[i] > 0 {
			each = append(each, a[i]/b[i])
		}
	}
	return each
}

// ratio is the median of the ratios of a to b.
func ratio(a, b []float64) float64 { return median(paired(a, b)) }

// interval returns a confidence interval of the median, with a probability of at least 95 % for any distribution: two order
// statistics, chosen by the binomial distribution. For fewer than six values, low and high are the least and the greatest.
func interval(values []float64) (low, high float64, ok bool) {
	n := len(values)
	if n == 0 {
		return 0, 0, false
	}
	const tail = 0.025
	sorted := slices.Sorted(slices.Values(values))
	k, exactly := 0, math.Pow(0.5, float64(n)) // the probability that just k values are below the median
	below := exactly
	ok = below <= tail
	for ok {
		exactly *= float64(n-k) / float64(k+1)
		if below += exactly; below > tail {
			break
		}
		k++
	}
	return sorted[k], sorted[n-1-k], ok
}
