package message

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/pool"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// HeldHereError: all that could be taken is held by allocations of this same configuration, which would wait for
// itself.
type HeldHereError struct{ Full *pool.FullError }

func (e *HeldHereError) Error() string { return e.Full.Error() }

// AllocationGoneError: the pool has no such allocation, so it cannot be changed.
type AllocationGoneError struct{ Value string }

func (e *AllocationGoneError) Error() string { return fmt.Sprintf("%q is not allocated", e.Value) }

// mendPool begins the next step for a key that contains no pool.
const mendPool = "If it was one, correct the text: with {}, or without the key, all its values are free for others. " +
	"To keep what is there, "

func (s Subject) notAPool(e *pool.FormatError) diag.Diagnostic {
	next := NotAPool.Next
	if s.Op != terms.OpCreate && s.Ways.Abandon != "" {
		next = mendPool + "run terraform state rm with the address of this resource."
	}
	var facts []Fact
	if e.Member != nil {
		facts = []Fact{{"Member", s.shown(*e.Member)}}
	}
	return s.refuse(NotAPool, path.Root("key"), s.ID.Key+" holds no pool: "+e.Problem+".", facts, s.orDestroy(next))
}

func (s Subject) heldHere(e *HeldHereError) diag.Diagnostic {
	const next = "Widen the range, or have fewer allocations in one configuration."
	if s.Plan != "" { // Terraform plans a replacement as an allocation that stays, and then as a new one
		return s.warn(PoolIsFull, path.Empty(), "Allocations of this configuration have all that there is, and another one "+
			"would wait for it. The wait ends only if the apply replaces one of them.", s.holders(e.Full), next)
	}
	return s.refuse(PoolIsFull, path.Root("wait_for_free"),
		"Allocations of this configuration have all that there is, so that waiting would not end.", s.holders(e.Full), next)
}

func (s Subject) full(e *pool.FullError) diag.Diagnostic {
	switch {
	case !e.Holds:
		return s.refuse(PoolIsFull, path.Empty(), "The range has nothing that could be taken.", nil,
			s.orDestroy("Widen the range."))
	case s.Plan != "": // the same apply may release something first, as in a replace
		return s.warn(PoolIsFull, path.Empty(),
			PoolIsFull.Meaning+" The apply will fail unless something is released before.", s.holders(e), "")
	default:
		return s.refuse(PoolIsFull, path.Empty(), "", s.holders(e), "")
	}
}

func (s Subject) valueTaken(e *pool.TakenError) diag.Diagnostic {
	facts := []Fact{{partWanted, s.shown(e.Value)}, {"Taken", s.shown(e.By.Value)}, {"Claimant", s.claimant(e.By)}}
	if s.Plan != "" {
		return s.warn(ValueIsTaken, path.Root("prefer"),
			ValueIsTaken.Meaning+" The apply will fail unless it is released before.", facts, "")
	}
	return s.refuse(ValueIsTaken, path.Root("prefer"), "", facts, "")
}

func (s Subject) outside(e *pool.OutsideError) diag.Diagnostic {
	return s.refuse(ValueOutsideTheRange, path.Root("prefer"), "", []Fact{{partWanted, s.shown(e.Value)}},
		s.orDestroy(ValueOutsideTheRange.Next))
}

func (s Subject) allocationGone(e *AllocationGoneError) diag.Diagnostic {
	return s.refuse(AllocationGone, path.Empty(), "", []Fact{{partValue, s.shown(e.Value)}}, "")
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
	return s.warn(ValueOutsideTheRange, path.Empty(), "The allocation is outside of the range. It stays valid.",
		[]Fact{{partValue, s.shown(value)}},
		"To take a value of the range, run terraform apply -replace with the address of this resource.")
}

// KnownTooLate is for an update in an apply in which it became known that the allocation must be of another sort.
func (s Subject) KnownTooLate(was string) diag.Diagnostic {
	return s.refuse(InvalidAllocation, path.Root(was), "The plan did not know yet that "+was+" is null.", nil,
		"Run terraform plan again: it replaces the allocation.")
}

// AllocationLost warns where a refresh finds no allocation.
func (s Subject) AllocationLost(value string) diag.Diagnostic {
	return s.warn(AllocationGone, path.Empty(), "The allocation is not in the pool any more, so the state drops it.",
		[]Fact{{partValue, s.shown(value)}},
		"Whoever uses the value should stop: another may take it. The next apply takes a new one.")
}

// AllocationTakenOver warns where another has what was the resource's.
func (s Subject) AllocationTakenOver(by pool.Member, then string) diag.Diagnostic {
	return s.warn(AllocationTakenOver, path.Empty(), AllocationTakenOver.Meaning+" "+then,
		[]Fact{{partValue, s.shown(by.Value)}, {"Claimant", s.claimant(by)}}, "")
}

// AllocationNotKept is for an allocation that the API server has not stored.
func (s Subject) AllocationNotKept(stored eval.Value) diag.Diagnostic {
	return s.fail(AllocationChangedByAdmission, path.Root("key"), "", []Fact{{"Stored", renderOne(stored, s.Hide)}}, "")
}

// NoAllocation is for an import of a value that nobody has.
func (s Subject) NoAllocation(value string) diag.Diagnostic {
	return s.fail(NothingToImport, path.Empty(), "The pool has no allocation of this value. Nothing was imported.",
		[]Fact{{partValue, s.shown(value)}},
		"Correct the import, or remove it: the next apply takes a value.")
}

// WithoutID is for an import of an allocation that was written by hand, without an id or with that of another.
func (s Subject) WithoutID(m pool.Member) diag.Diagnostic {
	return s.fail(AllocationWithoutAnID, path.Empty(), "",
		[]Fact{{partValue, s.shown(m.Value)}, {"Claimant", s.claimant(m)}}, "")
}

// Allocating returns the common parts of subjects of allocations.
func Allocating(op terms.Operation) Subject {
	return Subject{
		Noun: "allocation", Members: func() int64 { return 0 },
		Ways: Ways{
			Move: "To give the resource another address, use a moved block.",
			Abandon: "To leave the ConfigMap as it is, run terraform state rm with the address of this resource. The " +
				"value stays taken.",
			Unknown: map[terms.Operation]string{
				terms.OpCreate: "Run terraform apply again: it releases what this one may have taken, and takes a value again. A " +
					"destroy only releases.",
				terms.OpDelete: "Run terraform again: it releases the value if it is still taken. A configuration that keeps the " +
					"allocation takes a value again, which may be another one.",
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
	return s.refuse(NotACounter, path.Root("key"), e.Key+" does not hold a whole number.",
		[]Fact{{"Found", renderOne(e.Live, s.Hide)}, {"Range", counterRange}},
		s.orDestroy(NotACounter.Next))
}

func (s Subject) overflow(e *cas.OverflowError) diag.Diagnostic {
	return s.refuse(CounterWouldOverflow, path.Root("step"), "", []Fact{
		{"Found", renderOne(e.Live, s.Hide)},
		{"Number", s.figure(e.Number)},
		{"Step", fmt.Sprint(e.Step)},
		{"Range", counterRange},
	}, s.orDestroy(CounterWouldOverflow.Next))
}

// NumberNotKept is for a number that was taken for nothing.
func (s Subject) NumberNotKept(taken cas.Taken) diag.Diagnostic {
	return s.fail(NumberChangedByAdmission, path.Root("key"),
		"Admission changed "+s.ID.Key+
			" while a number was taken, so another resource may get the same number. It is not used.",
		append([]Fact{{"Number", s.figure(taken.Number)}}, s.compare("Sent", taken.Sent, "Stored", taken.Stored)...), "")
}

// figure shows a number that came from the key.
func (s Subject) figure(n int64) string {
	return renderOne(eval.Text(strconv.FormatInt(n, 10)), s.Hide)
}
