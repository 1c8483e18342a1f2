package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

// operation is what a diagnostic says was being done.
type operation string

const (
	opRead   operation = "read"
	opCreate operation = "create"
	opUpdate operation = "update"
	opDelete operation = "delete"
)

// opOf tells the operation from the swap it makes.
func opOf(s cas.Swap) operation {
	switch {
	case s.GoneIsDone:
		return opDelete
	case s.Held == cas.HeldIsJudged:
		return opUpdate
	default:
		return opCreate
	}
}

// subject is what a diagnostic is about. All diagnostics about an entry are made here, so that the same fault always
// reads the same.
type subject struct {
	id       entryID
	op       operation
	expected path.Path // of the attribute that gives the expectation; empty where none does
	value    path.Path // of the attribute that gives the value
	hide     bool
	planning bool      // a plan's check, which plan_check softens
	limit    operation // whose timeout applies

	wait      types.String // wait_for_match; null where the operation does not wait
	rehearsed bool         // a plan's check that sends what it is about as a dry run
	values    []cas.Entry  // that another's words may quote
}

func (r *configMapEntryResource) about(m *configMapEntryModel, op operation) subject {
	s := subject{
		id: m.entryID(), op: op, expected: path.Empty(), value: path.Root("value"), hide: r.hides(m.HideValue), limit: op,
		values: []cas.Entry{m.entry(), m.expected()},
	}
	if op == opCreate || op == opUpdate {
		s.wait = m.WaitForMatch
	}
	if !m.ValueBase64.IsNull() {
		s.value = path.Root("value_base64")
	}
	if !m.ExpectedValue.IsNull() {
		s.expected = path.Root("expected_value")
	} else if !m.ExpectedValueBase64.IsNull() {
		s.expected = path.Root("expected_value_base64")
	}
	return s
}

// of has the subject know the values of a swap as well.
func (s subject) of(swap cas.Swap) subject {
	s.values = append(slices.Clone(s.values), swap.New, swap.Expect)
	return s
}

// detail puts a diagnostic's detail together: what happened, the facts as "Key: value" lines, the way on.
func (s subject) detail(happened string, facts []string, way ...string) string {
	if s.planning {
		// Also seen at apply, which plans again: it must read well there.
		way = append(way, "The provider's plan_check (environment: "+envPlanCheck+") says whether a failed check of a plan is an error, a "+
			"warning, or not made. Apply checks regardless.")
	}
	var b strings.Builder
	b.WriteString(happened)
	b.WriteString("\n\n")
	b.WriteString("ConfigMap: " + s.id.Ref.String() + "\n")
	if s.id.Key != "" {
		b.WriteString("Key: " + s.id.Key + "\n")
	}
	for _, line := range facts {
		b.WriteString(line + "\n")
	}
	if len(way) > 0 {
		b.WriteString("\n" + strings.Join(way, " "))
	}
	return strings.TrimRight(b.String(), "\n")
}

// diagnose makes the diagnostic of an error that package cas returned.
func (s subject) diagnose(err error) diag.Diagnostic {
	var (
		conflict    *cas.ConflictError
		notFound    *cas.NotFoundError
		immutable   *cas.ImmutableError
		terminating *cas.TerminatingError
		tooLarge    *cas.TooLargeError
		forbidden   *cas.ForbiddenError
		unreachable *cas.UnreachableError
		refused     *cas.RefusedError
		canceled    *cas.CanceledError
		unknown     *cas.UnknownError
		waited      *cas.WaitError
	)
	switch {
	case errors.As(err, &unknown): // first: what it wraps would say that nothing was written
		return s.unknown(unknown)
	case errors.As(err, &waited):
		return s.waited(waited)
	case errors.As(err, &conflict):
		return s.conflict(conflict)
	case errors.As(err, &notFound):
		return s.notFound()
	case errors.As(err, &immutable):
		return s.immutable()
	case errors.As(err, &terminating):
		return diag.NewErrorDiagnostic("ConfigMap Is Being Deleted", s.detail(
			"The ConfigMap is being deleted, so nothing was written: the entry would be lost with it.",
			[]string{"Deleted at: " + terminating.Since.Format(time.RFC3339)},
			"Wait until it is gone, make it again, then plan again."))
	case errors.As(err, &tooLarge):
		return s.tooLarge(tooLarge)
	case errors.As(err, &forbidden):
		return s.notPermitted(forbidden)
	case errors.As(err, &unreachable):
		return diag.NewErrorDiagnostic("API Server Unreachable", s.detail(
			fmt.Sprintf("The API server could not be reached, so nothing was %s.", s.op.past()),
			[]string{"Host: " + unreachable.Host, "Cause: " + s.words(unreachable.Err)},
			"Check the provider's configuration and the network between here and the cluster."))
	case errors.As(err, &refused):
		return s.requestRefused(refused)
	case errors.As(err, &canceled):
		return s.canceled(canceled)
	default:
		return diag.NewErrorDiagnostic("Unexpected Error", s.detail(
			fmt.Sprintf("To %s the entry failed in a way that the provider does not know.", s.op), []string{"Cause: " + s.words(err)}))
	}
}

func (o operation) past() string {
	switch o {
	case opRead:
		return "read"
	case opDelete:
		return "removed"
	default:
		return "written"
	}
}

// conflictFacts are the lines about a conflict.
func (s subject) conflictFacts(e *cas.ConflictError) []string {
	facts := s.keyFacts(e)
	if e.At.ResourceVersion != "" {
		facts = append(facts, "Planned resourceVersion: "+e.At.ResourceVersion)
	}
	version := e.Live.Version()
	facts = append(facts, "Live resourceVersion: "+version.ResourceVersion)
	if e.At.UID != "" && e.At.UID != version.UID {
		facts = append(facts, "Planned uid: "+e.At.UID, "Live uid: "+version.UID+" (the ConfigMap was deleted and made again)")
	}
	if last := e.Live.LastWriters(); len(last) > 0 {
		facts = append(facts, lastWriter(last))
	}
	return facts
}

func (s subject) conflict(e *cas.ConflictError) diag.Diagnostic {
	facts, held := s.conflictFacts(e), true
	for _, k := range e.Keys {
		held = held && e.Live.Entry(k.Key).Holds(k.Expected)
	}
	const again = "Plan again to see what is there now, and apply that plan if it still says what you mean."
	switch e.Reason {
	case cas.ReasonHeld:
		return diag.NewAttributeErrorDiagnostic(s.value, "Key Already Holds The Value", s.detail(
			"The key already holds the value, and this state does not know where from. Nothing was written.", facts,
			fmt.Sprintf("Import it with the id %q, or set adopt_existing = true to take it over.", s.id),
			"If the resource is tainted, `terraform untaint` keeps it: a tainted resource cannot be told from a new one."))
	case cas.ReasonVersion:
		return diag.NewAttributeErrorDiagnostic(path.Root("expected_resource_version_wo"), "Resource Version Mismatch", s.detail(
			"The ConfigMap is not at the version that expected_resource_version_wo names. Nothing was written.", facts,
			"Take the version from where you decide about the write, in the same run."))
	case cas.ReasonOwn:
		return diag.NewErrorDiagnostic("Compare-And-Swap Conflict", s.detail(
			"This run itself wrote the key, later than what the removal goes by. Nothing was removed.", facts,
			"Key the instances of a resource by ConfigMap key, or use a `moved` block."))
	case cas.ReasonObject:
		way := []string{again}
		if held {
			way = append(way, `Where changes of other keys do not matter, set conflict_scope = "key". Another provider, and another alias `+
				"of this one, is another writer.")
		}
		return diag.NewErrorDiagnostic("Compare-And-Swap Conflict", s.detail(
			fmt.Sprintf("Another writer changed the ConfigMap since it was observed. Nothing was %s.", s.op.past()), facts, way...))
	case cas.ReasonKey:
	}
	switch {
	case !s.expected.Equal(path.Empty()) && s.op != opDelete:
		return diag.NewAttributeErrorDiagnostic(s.expected, "Expected Value Mismatch", s.detail(
			fmt.Sprintf("The key does not hold what %s says it must. Nothing was written.", s.expected), facts,
			fmt.Sprintf("Set %s to what the key holds if that is what the write may replace.", s.expected)))
	case s.op == opCreate:
		return diag.NewAttributeErrorDiagnostic(path.Root("key"), "Key Already Exists", s.detail(
			"The key exists with another value, and without expected_value only an absent key is written. Nothing was written.", facts,
			fmt.Sprintf("Set expected_value to what the write may replace, or import the key with the id %q.", s.id)))
	default:
		return diag.NewErrorDiagnostic("Compare-And-Swap Conflict", s.detail(
			fmt.Sprintf("Another writer changed the key since it was observed. Nothing was %s.", s.op.past()), facts, again))
	}
}

// keyFacts are the lines about the keys of a conflict.
func (s subject) keyFacts(e *cas.ConflictError) (facts []string) {
	for _, k := range e.Keys {
		expected, live := renderPair(k.Expected, e.Live.Entry(k.Key), s.hide)
		if s.id.Key == "" {
			facts = append(facts, "Key: "+k.Key)
		}
		if k.Reason != cas.ReasonHeld {
			facts = append(facts, "Expected: "+expected)
		}
		facts = append(facts, "Live: "+live)
	}
	return facts
}

// lastWriter words what managedFields tell as the hint that it is.
func lastWriter(last []cas.Writer) string {
	names := make([]string, len(last))
	for i, w := range last {
		names[i] = fmt.Sprintf("%s (%s)", w.Manager, w.Operation)
	}
	return fmt.Sprintf("Last writer: %s, %s, as far as managedFields tell: times are per manager, in seconds, removals leave no trace",
		strings.Join(names, " or "), last[0].Time.Format(time.RFC3339))
}

func (s subject) notFound() diag.Diagnostic {
	if s.planning && s.op == opCreate {
		s.planning = false // a warning already
		return diag.NewAttributeWarningDiagnostic(path.Root("name"), "ConfigMap Does Not Exist Yet", s.detail(
			"The ConfigMap does not exist, so that nothing could be checked. It may be made in this apply; the check is made then.", nil,
			"Let the entry depend on what makes the ConfigMap."))
	}
	return diag.NewAttributeErrorDiagnostic(path.Root("name"), "ConfigMap Not Found", s.detail(
		"The ConfigMap does not exist. Nothing was written.", nil,
		"Make it first, and let the entry depend on what makes it: an entry does not make its ConfigMap."))
}

func (s subject) immutable() diag.Diagnostic {
	if s.op == opDelete {
		return diag.NewErrorDiagnostic("ConfigMap Is Immutable", s.detail(
			"The ConfigMap is immutable, so the key cannot be removed.", nil,
			fmt.Sprintf("Set deletion_policy = %q and apply that, to leave the key as it is.", policyAbandon)))
	}
	return diag.NewErrorDiagnostic("ConfigMap Is Immutable", s.detail(
		"The ConfigMap is immutable, so the key cannot be written.", nil,
		"Make a ConfigMap with another name, or delete this one and make it again."))
}

func (s subject) tooLarge(e *cas.TooLargeError) diag.Diagnostic {
	facts := []string{
		fmt.Sprintf("Value: %d bytes", e.New),
		fmt.Sprintf("All other values: %d bytes", e.Others),
		fmt.Sprintf("Limit: %d bytes for all values together", cas.MaxSize),
	}
	if s.planning && e.New <= cas.MaxSize {
		s.planning = false // a warning already
		return diag.NewAttributeWarningDiagnostic(s.value, "ConfigMap Too Large", s.detail(
			"With this value the ConfigMap would be too large as it is now. Another entry may free space in this apply.", facts))
	}
	return diag.NewAttributeErrorDiagnostic(s.value, "ConfigMap Too Large", s.detail(
		"With this value the ConfigMap would be too large. Nothing was written.", facts, "Shorten it, or use another ConfigMap."))
}

func (s subject) canceled(e *cas.CanceledError) diag.Diagnostic {
	facts := []string{"Host: " + e.Host}
	if errors.Is(e.Err, context.DeadlineExceeded) {
		return diag.NewErrorDiagnostic("Operation Timed Out", s.detail(
			fmt.Sprintf("The API server did not answer in time. Nothing was %s.", s.op.past()), facts,
			fmt.Sprintf("Try again, or raise timeouts.%s.", s.limit)))
	}
	return diag.NewErrorDiagnostic("Operation Canceled", s.detail(
		fmt.Sprintf("The operation was canceled. Nothing was %s.", s.op.past()), facts))
}

func (s subject) unknown(e *cas.UnknownError) diag.Diagnostic {
	facts := []string{"Cause: " + strings.ReplaceAll(s.words(e.Err), "\n", "; ")}
	if e.Base.ResourceVersion != "" {
		facts = append([]string{"Sent for resourceVersion: " + e.Base.ResourceVersion}, facts...)
	}
	way := "The state keeps the entry as it was. The next plan reads the key, and shows what is left to be done."
	if s.op == opCreate {
		way = fmt.Sprintf("The state has nothing of it. If the key holds the value, import it with the id %q, or set adopt_existing = true to "+
			"take it over. If it does not, plan again.", s.id)
	}
	return diag.NewErrorDiagnostic("Write Outcome Unknown", s.detail(
		"The write was sent, and it could not be found out whether the key was changed. It may be changed yet, while the write is on its way.",
		facts, way, "Where the verb \"watch\" on the ConfigMap is permitted, a lost answer can be settled."))
}

func (s subject) changedByAdmission(swap cas.Swap, stored cas.Entry) diag.Diagnostic {
	sent, kept := renderPair(swap.New, stored, s.hide)
	return diag.NewAttributeWarningDiagnostic(s.value, "Value Changed By Admission", s.detail(
		"The value was written, and the cluster's admission changed it on its way in. The next refresh shows it as drift.",
		[]string{"Sent: " + sent, "Stored: " + kept}))
}

// changedSinceApply is for a destroy of a value that this resource did not write.
func (s subject) changedSinceApply(live cas.Entry, policy string) diag.Diagnostic {
	facts := []string{"Live: " + renderOne(live, s.hide)}
	if policy == policyRestore {
		return diag.NewErrorDiagnostic("Value Changed Since Last Apply", s.detail(
			"The key does not hold what this resource last wrote, so that restoring would undo another's write.", facts,
			fmt.Sprintf("To leave the key as it is, apply deletion_policy = %q with what the key holds as value; to remove it, apply "+
				"deletion_policy = %q. Then destroy.", policyAbandon, policyDelete)))
	}
	s.planning = false // a warning already
	return diag.NewWarningDiagnostic("Value Changed Since Last Apply", s.detail(
		"The key does not hold what this resource last wrote. It will be removed if it still holds this value then.", facts))
}

func (s subject) keyMoves() diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("key"), "Key Moves Between Instances", s.detail(
		"One resource instance is to remove the key and another one to write it in the same run, in an order that nothing fixes.", nil,
		"Key the instances by ConfigMap key (for_each over the keys), so that each keeps its own, or use a `moved` block."))
}

func (s subject) nothingToRestore() diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("deletion_policy"), "Nothing Known To Restore", s.detail(
		"What the key held before is not known here, as in the replacement of a tainted resource. Nothing was removed.", nil,
		"`terraform untaint` the resource and plan again, or apply another deletion_policy first."))
}

func (s subject) taintedReplacesItself() diag.Diagnostic {
	return diag.NewErrorDiagnostic("Replacement Would Fail", s.detail(
		"A tainted resource is to be replaced by one of the same key, whose expectation could not hold once the key is removed. "+
			"Nothing was removed.", nil, "`terraform untaint` the resource and plan again."))
}

func (s subject) mayReplaceItself() diag.Diagnostic {
	return diag.NewWarningDiagnostic("Replacement May Fail", s.detail(
		"The entry is to be replaced by one whose namespace, name or key is known only when that is applied. If it turns out to be the "+
			"same key, that is removed first, and the new resource is refused: what it expects, or is to adopt, is gone then, or its place is "+
			"taken.", nil, "Make the namespace, name and key known at plan, or change value to write the key."))
}

func (s subject) replacesItself(why string) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Replacement Would Fail", s.detail(
		"The resource is to be replaced by one of the same key. "+why+" Nothing was removed.", nil,
		"Change value to write the key, instead of replacing the resource."))
}
