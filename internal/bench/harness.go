package main

import "slices"

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

// ratio is the median of what each round has a take of b. Rounds are compared with themselves: a machine that was slow in one
// of them was slow for both.
func ratio(a, b []float64) float64 {
	var each []float64
	for i := range min(len(a), len(b)) {
		if b[i] > 0 {
			each = append(each, a[i]/b[i])
		}
	}
	return median(each)
}
