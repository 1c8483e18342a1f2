package histories

import (
	"maps"
	"slices"
	"strconv"
)

// This is the section of DESIGN.md about allocations, as a small program. Its values are numbers from 1 on. Ids come
// from the states: a new allocation may have any id that was never used before.

// Titles of diagnostics about allocations.
const (
	titleFull         = "Pool Is Full"
	titleGone         = "Allocation Gone"
	titleTakenOver    = "Allocation Taken Over"
	titleWithoutID    = "Allocation Without An ID"
	titleNothingThere = "Nothing To Import"
)

// poolMember is an allocation as the pool has it. Without an id it was written by hand.
type poolMember struct {
	ID       string `json:"id,omitempty"`
	Claimant string `json:"claimant,omitempty"`
}

// poolBlock is a resource block of an allocation.
type poolBlock struct {
	label, claimant string
	first, last     int // of the range
}

// poolTracking is an allocation in a state: the arguments, and the value. After an unknown outcome it has an id, and
// no value.
type poolTracking struct {
	poolBlock

	id      string
	value   int // 0: of unknown outcome
	tainted bool
}

// poolWorkspace is a configuration and a state.
type poolWorkspace struct {
	blocks []poolBlock // each depends on those before it
	state  map[string]poolTracking
}

// poolLoss is a lost response: the write is lost before it arrives, or its response is. Another writer may write
// before the provider reads.
type poolLoss struct {
	at       int // of the apply's writes; 0: none
	isBefore bool
	other    func(map[int]poolMember)
	isUnread bool // the read that follows is refused, so that the outcome is unknown
}

// poolModel is one pool, and the workspaces that take from it.
type poolModel struct {
	members map[int]poolMember
	exists  bool // the key: nobody removes it
	version int  // how many writes there were
	spaces  []*poolWorkspace

	loss   poolLoss
	writes int // of the apply
	newID  func(label string) string
}

// write applies a change, and may lose the response. After a lost response, an allocation finds itself in the pool.
func (m *poolModel) write(change func()) (isUnknown bool) {
	was := maps.Clone(m.members)
	m.writes++
	isLost := m.isLost()
	if isLost && m.loss.isBefore {
		if m.interferes(); m.loss.isUnread {
			if !maps.Equal(was, m.members) {
				m.version, m.exists = m.version+1, true
			}
			return true
		}
	}
	m.version, m.exists = m.version+1, true
	change()
	if isLost && !m.loss.isBefore {
		m.interferes()
	}
	return isLost && m.loss.isUnread
}

// isLost reports whether the response of the last write is lost.
func (m *poolModel) isLost() bool { return m.writes == m.loss.at }

func (m *poolModel) interferes() {
	if m.loss.other != nil {
		m.loss.other(m.members)
	}
}

func (m *poolModel) find(id string) (value int) {
	for value, member := range m.members {
		if member.ID == id {
			return value
		}
	}
	return 0
}

// refresh returns an allocation after a refresh.
func (m *poolModel) refresh(was poolTracking) (now poolTracking, warning string) {
	value := m.find(was.id)
	_, isTaken := m.members[was.value]
	switch {
	case was.value == 0:
		return was, ""
	case value == 0 && isTaken:
		return poolTracking{}, titleTakenOver
	case value == 0:
		return poolTracking{}, titleGone
	}
	was.value, was.claimant = value, m.members[value].Claimant
	return was, ""
}

// poolChange is the planned action of one allocation.
type poolChange struct {
	action string
	to     poolBlock
}

// plan gives the refreshed state, what is done to which label, and warnings.
func (m *poolModel) plan(w *poolWorkspace, noRefresh, destroy bool, replace string) (state map[string]poolTracking, changes map[string]poolChange, warnings []string) {
	state, changes = map[string]poolTracking{}, map[string]poolChange{}
	for label, was := range w.state {
		if !noRefresh {
			var warning string
			if was, warning = m.refresh(was); warning != "" {
				warnings = append(warnings, warning)
				continue
			}
		}
		state[label] = was
		changes[label] = poolChange{action: "delete"}
	}
	if destroy { // the client does not show the warnings of its refresh
		return state, changes, nil
	}
	for _, b := range w.blocks {
		was, isThere := state[b.label]
		switch {
		case !isThere:
			changes[b.label] = poolChange{"create", b}
		case was.tainted, was.value == 0, replace == b.label:
			changes[b.label] = poolChange{"delete, create", b}
		case was.poolBlock != b:
			changes[b.label] = poolChange{"update", b}
		default:
			delete(changes, b.label)
		}
	}
	return state, changes, warnings
}

// apply applies what was planned, until something fails.
func (m *poolModel) apply(w *poolWorkspace, state map[string]poolTracking, changes map[string]poolChange) (title string) {
	m.writes = 0
	w.state = state
	labels := slices.Sorted(maps.Keys(changes))
	for _, label := range slices.Backward(labels) {
		was := state[label]
		if action := changes[label].action; action != "delete" && action != "delete, create" {
			continue
		}
		release := func() { delete(m.members, m.find(was.id)) }
		if m.find(was.id) != 0 || was.value == 0 { // after an unknown outcome, a release writes in any case
			if m.write(release) {
				was.value = 0
				state[label] = was
				return titleUnknown
			}
		}
		delete(state, label)
	}
	for _, label := range labels {
		c, was := changes[label], state[label]
		switch c.action {
		case "create", "delete, create":
			now := poolTracking{poolBlock: c.to, id: m.newID(label)}
			if m.lowest(c.to.last) == 0 {
				return titleFull
			}
			isFull := false
			take := func() {
				now.value = m.lowest(c.to.last)
				if isFull = now.value == 0; !isFull {
					m.members[now.value] = poolMember{now.id, c.to.claimant}
				}
			}
			switch isUnknown := m.write(take); {
			case isUnknown, isFull && m.isLost(): // another took the last one first, and the write may have come before
				now.value, now.tainted = 0, true
				state[label] = now
				return titleUnknown
			case isFull: // another took the last one first
				return titleFull
			}
			state[label] = now
		case "update":
			if was.claimant != c.to.claimant {
				value := m.find(was.id)
				if value == 0 {
					return titleGone
				}
				claims := func() { m.members[value] = poolMember{was.id, c.to.claimant} }
				if m.members[value].Claimant != c.to.claimant && m.write(claims) {
					return titleUnknown
				}
			}
			was.poolBlock = c.to
			state[label] = was
		}
	}
	return ""
}

// lowest is the lowest free value; 0 where there is none.
func (m *poolModel) lowest(most int) int {
	for n := 1; n <= most; n++ {
		if _, isTaken := m.members[n]; !isTaken {
			return n
		}
	}
	return 0
}

// imports brings what is there into a state, by its value.
func (m *poolModel) imports(w *poolWorkspace, label string, value int) (title string) {
	member, isThere := m.members[value]
	switch {
	case !m.exists:
		return titleNoKey
	case !isThere:
		return titleNothingThere
	case member.ID == "":
		return titleWithoutID
	}
	b := poolBlock{label: label, claimant: member.Claimant, first: value, last: value}
	w.state[label] = poolTracking{poolBlock: b, id: member.ID, value: value}
	return ""
}

// named are members by their names.
func named(members map[int]poolMember) map[string]poolMember {
	all := map[string]poolMember{}
	for value, m := range members {
		all[strconv.Itoa(value)] = m
	}
	return all
}
