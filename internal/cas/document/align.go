package document

import "slices"

// anchor is an element that stays, and the wanted element that equals it.
type anchor struct{ item, wanted int }

// align returns, for each wanted element of a list that is set as a whole, the index of the element that becomes the
// wanted one; -1 for a new element. Equal elements stay, and the elements between them are aligned by their position.
func align(items []item, wanted []any) []int {
	key := func(v any) string { return flowStyle{isJSON: true, comma: ",", colon: ":"}.render(v, "") }
	places := map[string][]int{}
	for i, item := range items {
		k := key(item.value.value)
		places[k] = append(places[k], i)
	}
	var equal []anchor
	for i, w := range wanted {
		if k := key(w); len(places[k]) > 0 {
			equal = append(equal, anchor{places[k][0], i})
			places[k] = places[k][1:]
		}
	}
	olds := make([]int, len(wanted))
	next, i := 0, 0
	for _, stays := range append(inOrder(equal), anchor{len(items), len(wanted)}) {
		for ; i < stays.wanted; i++ {
			if olds[i] = -1; next < stays.item {
				olds[i] = next
				next++
			}
		}
		if i < len(wanted) {
			olds[i] = stays.item
		}
		next, i = stays.item+1, stays.wanted+1
	}
	return olds
}

// inOrder returns the most anchors whose elements have the order of the wanted elements: the longest increasing
// subsequence.
func inOrder(all []anchor) []anchor {
	var tails []int // for each length, the last anchor of the subsequence with the least element
	before := make([]int, len(all))
	for n, a := range all {
		length, _ := slices.BinarySearchFunc(tails, a.item, func(tail, item int) int { return all[tail].item - item })
		if before[n] = -1; length > 0 {
			before[n] = tails[length-1]
		}
		if length == len(tails) {
			tails = append(tails, n)
		}
		tails[length] = n
	}
	longest := make([]anchor, len(tails))
	for i := len(tails) - 1; i >= 0; i-- {
		if longest[i] = all[tails[i]]; i > 0 {
			tails[i-1] = before[tails[i]]
		}
	}
	return longest
}
