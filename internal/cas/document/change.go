package document

import (
	"maps"
	"slices"
)

// Change sets or removes the value at a place.
type Change struct {
	// Place has the names of members and the indexes of elements, as they are before all changes; -1 for a new element.
	Place []any
	// Value consists of maps, lists, texts, bools, nil, and numbers in the form of Number.
	Value   any
	Removes bool
}

// origins has, for each list that is changed by element, the index from which each wanted element comes; -1 for a new
// element.
type origins map[*node][]int

// change returns a value after changes, and records the origins of elements. The node is nil for a new value.
func (o origins) change(n *node, v any, changes []Change) any {
	if len(changes) == 0 {
		return v
	}
	byStep := map[any][]Change{}
	for _, c := range changes {
		if len(c.Place) == 0 {
			return c.Value
		}
		step := c.Place[0]
		byStep[step] = append(byStep[step], Change{c.Place[1:], c.Value, c.Removes})
	}
	if _, isName := changes[0].Place[0].(string); isName {
		return o.changeMembers(n, v, byStep)
	}
	return o.changeElements(n, v, byStep)
}

func (o origins) changeMembers(n *node, v any, byName map[any][]Change) any {
	old, _ := v.(map[string]any)
	members := map[string]any{}
	maps.Copy(members, old)
	for step, changes := range byName {
		name, isName := step.(string)
		switch {
		case !isName:
		case removes(changes):
			delete(members, name)
		default:
			members[name] = o.change(n.member(name), old[name], changes)
		}
	}
	return members
}

func (o origins) changeElements(n *node, v any, byIndex map[any][]Change) any {
	old, _ := v.([]any)
	elements, from := []any{}, []int{}
	for i, element := range old {
		changes := byIndex[i]
		if removes(changes) {
			continue
		}
		elements, from = append(elements, o.change(n.element(i), element, changes)), append(from, i)
	}
	for _, c := range byIndex[-1] {
		if !c.Removes {
			elements, from = append(elements, o.change(nil, nil, []Change{c})), append(from, -1)
		}
	}
	if n != nil {
		o[n] = from
	}
	return elements
}

// removes reports whether one of the changes removes the value itself, and not only a part of the value.
func removes(changes []Change) bool {
	return slices.ContainsFunc(changes, func(c Change) bool { return c.Removes && len(c.Place) == 0 })
}

// member returns the value of a member that the map itself has; nil if there is none.
func (n *node) member(name string) *node {
	if n == nil {
		return nil
	}
	i := slices.IndexFunc(n.items, func(i item) bool { return i.name == name && !i.isMerge })
	return n.element(i)
}

// element returns the value of an item; nil if there is none.
func (n *node) element(index int) *node {
	if n == nil || index < 0 || index >= len(n.items) {
		return nil
	}
	return n.items[index].value
}
