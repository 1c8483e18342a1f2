package diagnose

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/pool"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// HeldHereError: all that could be taken is held by allocations of this same configuration, which would wait for itself.
type HeldHereError struct{ Full *pool.FullError }

func (e *HeldHereError) Error() string { return e.Full.Error() }

// AllocationGoneError: the pool has no such allocation, so it cannot be changed.
type AllocationGoneError struct{ Value string }

func (e *AllocationGoneError) Error() string { return fmt.Sprintf("%q is not allocated", e.Value) }

func (s Subject) notAPool(e *pool.FormatError) diag.Diagnostic {
	next := "If it was one, mend the text: with {}, or without the key, all its values are free for others. To keep what is there, use another key."
	if s.Op != terms.OpCreate && s.Ways.Abandon != "" {
		next = strings.Replace(next, "use another key.", "run terraform state rm with the address of this resource.", 1)
	}
	var facts []Fact
	if e.Member != nil {
		facts = []Fact{{"Member", s.shown(*e.Member)}}
	}
	return s.refuse(TitleNotAPool, path.Root("key"), s.ID.Key+" holds no pool: "+e.Problem+".", facts, s.orDestroy(next))
}

func (s Subject) heldHere(e *HeldHereError) diag.Diagnostic {
	const next = "Widen the range, or have fewer allocations in one configuration."
	if s.Plan != "" { // Terraform plans a replacement as an allocation that stays, and then as a new one
		return s.tell(WarningPoolIsFull, path.Empty(), "Allocations of this configuration have all that there is, and another one would wait for it. The wait ends only if the "+
			"apply replaces one of them.", s.holders(e.Full), next)
	}
	return s.refuse(TitlePoolIsFull, path.Root("wait_for_free"), "Allocations of this configuration have all that there is, so that waiting would not end.", s.holders(e.Full), next)
}

func (s Subject) full(e *pool.FullError) diag.Diagnostic {
	const happened, next = "Everything in the range is taken.", "Widen the range, release what is not needed, or set wait_for_free."
	switch {
	case !e.Holds:
		return s.refuse(TitlePoolIsFull, path.Empty(), "The range has nothing that could be taken.", nil, s.orDestroy("Widen the range."))
	case s.Plan != "": // the same apply may release something first, as in a replace
		return s.tell(WarningPoolIsFull, path.Empty(), happened+" The apply will fail unless something is released before.", s.holders(e), next)
	default:
		return s.refuse(TitlePoolIsFull, path.Empty(), happened, s.holders(e), next)
	}
}

func (s Subject) valueTaken(e *pool.TakenError) diag.Diagnostic {
	facts := []Fact{{partWanted, s.shown(e.Value)}, {"Taken", s.shown(e.By.Value)}, {"Claimant", s.claimant(e.By)}}
	const happened, next = "The preferred value is taken.", "Prefer another value, or omit prefer to take the lowest free one."
	if s.Plan != "" {
		return s.tell(WarningValueIsTaken, path.Root("prefer"), happened+" The apply will fail unless it is released before.", facts, next)
	}
	return s.refuse(TitleValueIsTaken, path.Root("prefer"), happened, facts, next)
}

func (s Subject) outside(e *pool.OutsideError) diag.Diagnostic {
	return s.refuse(TitleValueOutsideTheRange, path.Root("prefer"), "The preferred value is not in the range.", []Fact{{partWanted, s.shown(e.Value)}},
		s.orDestroy("Prefer a value of the range, in the form in which the pool holds it, or omit prefer."))
}

func (s Subject) allocationGone(e *AllocationGoneError) diag.Diagnostic {
	return s.refuse(TitleAllocationGone, path.Empty(), "The allocation is not in the pool any more.", []Fact{{partValue, s.shown(e.Value)}},
		"Run terraform plan again: it plans to take another value.")
}

// holders are the facts about who has taken all: by claimant, those with the most first.
func (s Subject) holders(e *pool.FullError) []Fact {
	counts := map[string]int{}
	for _, m := range e.Holders {
		counts[m.Claimant]++
	}
	facts := []Fact{{"Taken", fmt.Sprint(len(e.Holders))}}
	if s.Hide != ShowValues {
		return facts
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%d)", orNobody(name), counts[name])
	}
	return append(facts, Fact{"Claimants", listed(names)})
}

func orNobody(claimant string) string {
	if claimant == "" {
		return "no claimant"
	}
	return printable(claimant)
}

func (s Subject) shown(value string) string { return renderOne(eval.Text(value), s.Hide) }

func (s Subject) claimant(m pool.Member) string {
	if s.Hide != ShowValues {
		return s.shown(m.Claimant)
	}
	return orNobody(m.Claimant)
}

// OutsideRange warns of an allocation that the range of its resource does not have, or no longer.
func (s Subject) OutsideRange(value string) diag.Diagnostic {
	return s.tell(WarningValueOutsideTheRange, path.Empty(), "The allocation is outside of the range. It stays valid.", []Fact{{partValue, s.shown(value)}},
		"To take a value of the range, run terraform apply -replace with the address of this resource.")
}

// KnownTooLate is for an update in an apply in which it became known that the allocation must be of another sort.
func (s Subject) KnownTooLate(was string) diag.Diagnostic {
	return s.refuse(TitleInvalidAllocation, path.Root(was), "The plan did not know yet that "+was+" is null.", nil,
		"Run terraform plan again: it replaces the allocation.")
}

// AllocationLost warns where a refresh finds no allocation.
func (s Subject) AllocationLost(value string) diag.Diagnostic {
	return s.tell(WarningAllocationGone, path.Empty(), "The allocation is not in the pool any more, so the state drops it.", []Fact{{partValue, s.shown(value)}},
		"Whoever uses the value should stop: another may take it. The next apply takes a new one.")
}

// AllocationTakenOver warns where another has what was the resource's.
func (s Subject) AllocationTakenOver(by pool.Member, then string) diag.Diagnostic {
	return s.tell(WarningAllocationTakenOver, path.Empty(), "Another has the value by now. "+then,
		[]Fact{{partValue, s.shown(by.Value)}, {"Claimant", s.claimant(by)}}, "Find out who changed the pool by hand, or which other state had the same allocation.")
}

// AllocationNotKept is for an allocation that the API server has not stored.
func (s Subject) AllocationNotKept(stored eval.Value) diag.Diagnostic {
	return s.tell(TitleAllocationChangedByAdmission, path.Root("key"), "The API server stored another pool than the one that was sent, without the allocation.",
		[]Fact{{"Stored", renderOne(stored, s.Hide)}},
		"Find the admission webhook or policy that changes this key, and exempt it. The next apply releases what is left, and takes a value again.")
}

// NoAllocation is for an import of a value that nobody has.
func (s Subject) NoAllocation(value string) diag.Diagnostic {
	return s.tell(TitleNothingToImport, path.Empty(), "The pool has no allocation of this value. Nothing was imported.", []Fact{{partValue, s.shown(value)}},
		"Correct the import, or remove it: the next apply takes a value.")
}

// WithoutID is for an import of an allocation that was written by hand, without an id or with that of another.
func (s Subject) WithoutID(m pool.Member) diag.Diagnostic {
	return s.tell(TitleAllocationWithoutAnID, path.Empty(), "The allocation has no id of its own, by which it could be released. Nothing was imported.",
		[]Fact{{partValue, s.shown(m.Value)}, {"Claimant", s.claimant(m)}}, "Give it an id that no other allocation has, with kubectl, then import again.")
}

// Allocating returns the common parts of subjects of allocations.
func Allocating(op terms.Operation) Subject {
	return Subject{
		Noun: "allocation", Members: func() int64 { return 0 },
		Ways: Ways{
			Move:    "To give the resource another address, use a moved block.",
			Abandon: "To leave the ConfigMap as it is, run terraform state rm with the address of this resource. The value stays taken.",
			Unknown: map[terms.Operation]string{
				terms.OpCreate: "Run terraform apply again: it releases what this one may have taken, and takes a value again. A destroy only releases.",
				terms.OpDelete: "Run terraform again: it releases the value if it is still taken. A configuration that keeps the allocation takes a value again, which may be another one.",
			}[op],
		},
	}
}

// Counting returns the common parts of subjects of counters.
func Counting() Subject {
	return Subject{Noun: "counter", Ways: Ways{
		Unknown: "Run terraform apply again: it takes another number. A number may stay unused.",
	}}
}

var counterRange = fmt.Sprintf("%d to %d", int64(math.MinInt64), int64(math.MaxInt64))

func (s Subject) notANumber(e *cas.NotANumberError) diag.Diagnostic {
	return s.refuse(TitleNotACounter, path.Root("key"), e.Key+" does not hold a whole number.",
		[]Fact{{"Found", renderOne(e.Live, s.Hide)}, {"Range", counterRange}},
		s.orDestroy("To keep what it holds, use another key. If it was a counter, set it to the next free number, such as 42, without spaces or leading zeros."))
}

func (s Subject) overflow(e *cas.OverflowError) diag.Diagnostic {
	return s.refuse(TitleCounterWouldOverflow, path.Root("step"), "Taking the next number would raise the counter out of its range.", []Fact{
		{"Found", renderOne(e.Live, s.Hide)},
		{"Number", s.figure(e.Number)},
		{"Step", fmt.Sprint(e.Step)},
		{"Range", counterRange},
	}, s.orDestroy("Set the key to a free number that is further from the limit, or use another key."))
}

// NumberNotKept is for a number that was taken for nothing.
func (s Subject) NumberNotKept(taken cas.Taken) diag.Diagnostic {
	return s.tell(TitleNumberChangedByAdmission, path.Root("key"),
		"Admission changed "+s.ID.Key+" while a number was taken, so another resource may get the same number. It is not used.",
		append([]Fact{{"Number", s.figure(taken.Number)}}, s.compare("Sent", taken.Sent, "Stored", taken.Stored)...),
		"Exclude the key from the admission policy, set it to a free number, then apply again.")
}

// figure shows a number that came from the key.
func (s Subject) figure(n int64) string {
	return renderOne(eval.Text(strconv.FormatInt(n, 10)), s.Hide)
}
