package document

import "slices"

// align returns for each wanted element of a list the index of the element that becomes the wanted one, -1 for a new
// element. It keeps as many elements as possible as they are.
func align(n *node, want []any) []int {
	olds := make([]int, len(want))
	first, oldEnd, wantEnd := 0, len(n.items), len(want)
	for first < min(oldEnd, wantEnd) && isEqual(n.items[first].value.value, want[first]) {
		olds[first] = first
		first++
	}
	for oldEnd > first && wantEnd > first && isEqual(n.items[oldEnd-1].value.value, want[wantEnd-1]) {
		oldEnd, wantEnd = oldEnd-1, wantEnd-1
		olds[wantEnd] = oldEnd
	}
	moved(olds[first:], pair(n.items[first:oldEnd], want[first:wantEnd]), first)
	return olds
}

// moved copies pairs whose elements begin at an offset.
func moved(to, pairs []int, offset int) {
	for i, old := range pairs {
		if to[i] = old; old >= 0 {
			to[i] += offset
		}
	}
}

// pair pairs wanted elements with elements: -1 for a new one.
func pair(items []item, wanted []any) []int {
	switch {
	case len(items)*len(wanted) > maxAlign:
		return splitByEqual(items, wanted)
	case isChangedInPlace(items, wanted):
		return byIndex(len(items), len(wanted))
	default:
		return closest(items, wanted)
	}
}

// byIndex pairs elements of the same index.
func byIndex(items, wanted int) []int {
	pairs := make([]int, wanted)
	for i := range pairs {
		pairs[i] = i
		if i >= items {
			pairs[i] = -1
		}
	}
	return pairs
}

// isChangedInPlace reports whether each wanted element is like the element of the same index, and none is more like
// another element.
func isChangedInPlace(items []item, wanted []any) bool {
	if len(items) != len(wanted) {
		return false
	}
	for i, w := range wanted {
		like := likeness(items[i].value.value, w)
		if len(items) > 1 && like <= 1 {
			return false
		}
		isCloser := func(other item) bool { return likeness(other.value.value, w) > like }
		if like < isSame && slices.ContainsFunc(items, isCloser) {
			return false
		}
	}
	return true
}

// anchor is an element that stays, and the wanted element that equals it.
type anchor struct{ item, wanted int }

// splitByEqual pairs as many equal elements as possible without a change of their order, and aligns the elements
// between two such pairs. It takes linear time if most elements are equal.
func splitByEqual(items []item, wanted []any) []int {
	key := func(v any) string { return flowStyle{isJSON: true, comma: ",", colon: ":"}.render(v, "") }
	places := map[string][]int{}
	for i, item := range items {
		k := key(item.value.value)
		places[k] = append(places[k], i)
	}
	var equal []anchor
	for j, w := range wanted {
		if k := key(w); len(places[k]) > 0 {
			equal = append(equal, anchor{places[k][0], j})
			places[k] = places[k][1:]
		}
	}
	pairs := make([]int, len(wanted))
	nextItem, nextWanted := 0, 0
	for _, stays := range append(inOrder(equal), anchor{len(items), len(wanted)}) {
		between, others := items[nextItem:stays.item], wanted[nextWanted:stays.wanted]
		found := byIndex(len(between), len(others))
		if len(between)*len(others) <= maxAlign {
			found = pair(between, others)
		}
		moved(pairs[nextWanted:], found, nextItem)
		if stays.wanted < len(wanted) {
			pairs[stays.wanted] = stays.item
		}
		nextItem, nextWanted = stays.item+1, stays.wanted+1
	}
	return pairs
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

// maxAlign limits the time of closest and of isChangedInPlace.
const maxAlign = 250_000

// closest pairs elements with wanted elements in their order, so that the sum of the likenesses is the greatest.
func closest(items []item, wanted []any) []int {
	best := make([][]int32, len(items)+1) // of the elements from an index on
	best[len(items)] = make([]int32, len(wanted)+1)
	like := make([][]int32, len(items))
	for i := len(items) - 1; i >= 0; i-- {
		best[i], like[i] = make([]int32, len(wanted)+1), make([]int32, len(wanted))
		for j := len(wanted) - 1; j >= 0; j-- {
			like[i][j] = likeness(items[i].value.value, wanted[j])
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if like[i][j] > 0 {
				best[i][j] = max(best[i][j], best[i+1][j+1]+like[i][j])
			}
		}
	}
	pairs := make([]int, len(wanted))
	i := 0
	for j := range wanted {
		for i < len(items) && best[i][j] == best[i+1][j] {
			i++
		}
		pairs[j] = -1
		if i < len(items) && like[i][j] > 0 && best[i][j] == best[i+1][j+1]+like[i][j] {
			pairs[j] = i
			i++
		}
	}
	return pairs
}

// isSame is the likeness of equal elements.
const isSame = 1000

// likeness returns how alike two elements are: isSame if they are equal, and 0 if one cannot become the other. Of two
// maps, it grows with the square of the number of equal scalar members, so that one good pair beats two bad ones.
func likeness(a, b any) (n int32) {
	if isEqual(a, b) {
		return isSame
	}
	if kindOf(a) != kindOf(b) {
		return 0
	}
	before, isMap := a.(map[string]any)
	after, _ := b.(map[string]any)
	if !isMap {
		return 1
	}
	for name, v := range before {
		if kindOf(v) == scalar && v != nil && isEqual(v, after[name]) {
			n++
		}
	}
	n = min(n, 22) // less than isSame
	return 2 * n * n
}
