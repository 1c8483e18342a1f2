package message

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

func (s Subject) conflict(e *eval.ConflictError) diag.Diagnostic {
	facts := s.conflictFacts(e)
	switch e.Reason {
	case eval.ReasonVersion:
		pin := "expected_resource_version_wo"
		if s.Op == terms.OpInvoke {
			pin = "expected_resource_version"
		}
		return s.refuse(CompareAndSwapConflict, path.Root(pin), fmt.Sprintf(
			"The %s is not at resourceVersion %s, which %s names.", s.ID.Kind, e.At.ResourceVersion, pin), facts, s.orDestroy(
			"Run terraform plan again with "+pin+" from a data source, or with the version that you have reviewed."))
	case eval.ReasonOwn:
		keys := keysOf(e.Keys)
		return s.refuse(CompareAndSwapConflict, path.Empty(),
			"Another resource of this run wrote or adopted "+enumerate(keys)+" after the removal was planned.", facts,
			fmt.Sprintf("The next apply removes %[1]s. To keep %[1]s, first run terraform state rm with the address of "+
				"the removed resource. If a resource with that address is still in the configuration, import it again.",
				number(len(keys), "it", "them")))
	case eval.ReasonObject:
		return s.objectConflict(e, facts)
	default:
		return s.keyConflict(e, facts)
	}
}

func keysOf(conflicts []eval.KeyConflict) (keys []string) {
	for _, k := range conflicts {
		keys = append(keys, k.Key)
	}
	return keys
}

// objectConflict is for a ConfigMap that is at another version than the one to compare with.
func (s Subject) objectConflict(e *eval.ConflictError, facts []Fact) diag.Diagnostic {
	var changed []string
	for _, k := range e.Keys {
		if !e.Live.Value(k.Key).Matches(k.Expected) {
			changed = append(changed, k.Key)
		}
	}
	next := s.again()
	happened := fmt.Sprintf("The %s changed %s.", s.ID.Kind, s.since(true))
	switch {
	case isRemade(e):
		happened = fmt.Sprintf("The %s was deleted and created again %s.", s.ID.Kind, s.since(true))
	case s.Op == terms.OpCreate: // its keys may have changed, and changed back
		next = "Run terraform plan again, or " + s.Ways.OtherKeys
	case len(changed) > 0:
		happened = enumerate(changed) + " changed " + s.since(len(changed) == 1) + "."
	case s.ID.Kind == eval.Secret: // the state has no values
	case s.Ways.OtherKeys != "":
		unchanged := "The " + s.part() + "s of this resource are unchanged"
		if s.ID.Key != "" {
			unchanged = s.ID.Key + " is unchanged"
			if value, ok := quoteHCL(e.Live.Value(s.ID.Key), s.Hide); ok {
				unchanged += " (" + value + ")"
			}
		}
		happened = fmt.Sprintf("%s, but the %s changed.", unchanged, s.ID.Kind)
		next = "Run terraform plan again" + s.refreshed() + ", or " + s.Ways.OtherKeys
		if s.Op == terms.OpDelete { // which uses the state
			next = "Run terraform plan again, or first apply " + strings.TrimPrefix(s.Ways.OtherKeys, "set ")
		}
	}
	return s.refuse(CompareAndSwapConflict, path.Empty(), happened, facts, s.orDestroy(next))
}

// isRemade reports whether the ConfigMap is another object than the one to compare with.
func isRemade(e *eval.ConflictError) bool {
	return e.At.UID != "" && e.At.UID != e.Live.Version().UID
}

// fault is in which way a key does not hold.
type fault uint8

const (
	faultMismatch fault = iota // not what the configuration expects
	faultHeld                  // the value already
	faultExists                // something, where nothing is expected
	faultChanged               // not what was observed
)

func (s Subject) faultOf(k eval.KeyConflict) fault {
	paths := s.Keys[k.Key]
	switch {
	case k.Reason == eval.ReasonEqual:
		return faultHeld
	case s.Op == terms.OpDelete:
		return faultChanged
	case paths.Want != nil && *paths.Want == k.Expected: // else it is the state that says what the key must hold
		return faultMismatch
	case k.Expected.IsAbsent() && (len(paths.Expected.Steps()) > 0 || s.isWhole()):
		return faultExists
	default:
		return faultChanged
	}
}

// keyConflict is for keys that do not hold what they must.
func (s Subject) keyConflict(e *eval.ConflictError, facts []Fact) diag.Diagnostic {
	isType := func(k eval.KeyConflict) bool { return k.Key == eval.TypeKey }
	if slices.ContainsFunc(e.Keys, isType) {
		return s.refuse(ConfigMapAlreadyExists, path.Root("type"),
			fmt.Sprintf("The %s already exists with another type, which cannot be changed.", s.ID.Kind),
			[]Fact{{"Type", e.Live.Type()}}, s.orDestroy(fmt.Sprintf("Set type = %q, or choose another name.", e.Live.Type())))
	}
	faults := make([]fault, len(e.Keys))
	for i, k := range e.Keys {
		faults[i] = s.faultOf(k)
	}
	if slices.Min(faults) != slices.Max(faults) {
		return s.mixed(e, faults)
	}
	switch faults[0] {
	case faultHeld:
		return s.holdsAlready(e, facts)
	case faultMismatch:
		return s.mismatch(e, facts)
	case faultExists:
		return s.exist(e, facts)
	default:
		return s.refuse(CompareAndSwapConflict, path.Empty(),
			enumerate(keysOf(e.Keys))+" changed "+s.since(len(e.Keys) == 1)+".", facts,
			s.orDestroy(cmp.Or(s.Ways.Changed, s.again())))
	}
}

// holdsAlready is for keys that a create is to write, and that hold their values already.
func (s Subject) holdsAlready(e *eval.ConflictError, facts []Fact) diag.Diagnostic {
	keys := keysOf(e.Keys)
	next := number(len(keys), "Set adopt_existing = true to take it over.", "Set adopt_existing = true to take them over.")
	isAbsent := func(k eval.KeyConflict) bool { return k.New.IsAbsent() } // which no import finds
	switch {
	case s.Op != terms.OpCreate:
	case slices.ContainsFunc(e.Keys, isAbsent), s.Revision != "":
		// After an import, the first write of a Secret needs the same permission.
		next = taintedOr("set adopt_existing = true.")
	default:
		facts = append(facts, s.importFact(keys)...)
		next = taintedOr(number(len(keys), "import it", "import them") + ", or set adopt_existing = true.")
	}
	if s.Op == terms.OpCreate && s.isApplied() {
		next += " A resource with create_before_destroy cannot be replaced in place: run terraform plan again."
	}
	return s.refuse(KeyAlreadyHoldsTheValue, s.Keys[keys[0]].Value,
		enumerate(keys)+number(len(keys), " already holds the value to write.", " already hold the values to write."), facts,
		s.orDestroy(next))
}

// taintedOr is the next step where a new resource finds its place taken: a tainted resource looks the same.
func taintedOr(otherwise string) string {
	return "If this resource is tainted, run terraform untaint with the address above. Otherwise " + otherwise
}

// exist is for keys that a create is to write, and that hold other values.
func (s Subject) exist(e *eval.ConflictError, facts []Fact) diag.Diagnostic {
	keys := keysOf(e.Keys)
	if s.isWhole() {
		return s.existWhole(e, facts)
	}
	to := "To"
	if s.Given != "" {
		to = fmt.Sprintf("If an allocation gave the key, add %s to its except, or remove it from its names, and run "+
			"terraform apply -replace with the address of the allocation. Otherwise, to", s.Given)
	}
	next := to + number(len(keys), " replace it, ", " replace these values, ") + s.expect(e, keys)
	if s.ID.Kind == eval.Secret && s.APIVersion == "" { // whose value may be unknown
		next += fmt.Sprintf(", or set expected_resource_version_wo = %q", e.Live.Version().ResourceVersion)
	}
	switch {
	case s.Op != terms.OpCreate:
	case s.Revision != "": // after an import, the first write needs the same of a Secret
		next += number(len(keys), "; to keep it, ", "; to keep them, ") +
			fmt.Sprintf("set %s to what %s and adopt_existing = true", root(s.Value),
				number(len(keys), enumerate(keys)+" holds", "the "+s.part()+"s hold"))
	default:
		facts = append(facts, s.importFact(keys)...)
		keep := fmt.Sprintf("set %s to what the %ss hold, then import them", root(s.Value), s.part())
		if len(keys) == 1 {
			keep = s.set(s.Keys[keys[0]].Value, keys[0], e.Live.Value(keys[0])) + ", then import it"
		}
		next += number(len(keys), "; to keep it, ", "; to keep them, ") + keep
	}
	return s.refuse(KeyAlreadyExists, s.keyPath(keys[0]),
		enumerate(keys)+number(len(keys), " already exists with another value.", " already exist with other values."), facts,
		s.orDestroy(next+"."))
}

// existWhole is for keys of a ConfigMap that an update of a whole ConfigMap begins to manage.
func (s Subject) existWhole(e *eval.ConflictError, facts []Fact) diag.Diagnostic {
	keys, drift := keysOf(e.Keys), []decide.Drift{}
	for _, k := range e.Keys {
		drift = append(drift, decide.Drift{Key: k.Key, Found: e.Live.Value(k.Key), ToWrite: k.New})
	}
	happened := enumerate(keys) + number(len(keys), " already exists with another value.",
		" already exist with other values.")
	isRemoved := func(k eval.KeyConflict) bool { return k.New.IsAbsent() }
	if slices.ContainsFunc(e.Keys, isRemoved) {
		happened = enumerate(keys) + number(len(keys), " already exists, and the configuration lacks it.",
			" already exist, with other values or without a value in the configuration.")
	}
	keep, at := s.keepDrift(drift), s.Keys[keys[0]].Value
	// it is in the other map
	if k := e.Keys[0]; len(keys) == 1 && !k.New.IsAbsent() && !attributeFor(at, drift[0].Found).Equal(at) {
		keep = "remove it from " + root(at)
	}
	return s.refuse(KeyAlreadyExists, s.keyPath(keys[0]), happened, facts, s.orDestroy(fmt.Sprintf(
		"To keep %[1]s, %[2]s. To replace %[1]s, set expected_resource_version_wo = %[3]q.", them(drift), keep,
		e.Live.Version().ResourceVersion)))
}

// mismatch is for keys that do not hold what the configuration expects.
func (s Subject) mismatch(e *eval.ConflictError, facts []Fact) diag.Diagnostic {
	k, keys := e.Keys[0], keysOf(e.Keys)
	found, paths := e.Live.Value(k.Key), s.Keys[k.Key]
	name, _ := NameOf(k.Key)
	isMissing := found.IsAbsent() && !k.Expected.IsAbsent()
	isGuard := len(paths.Value.Steps()) == 0
	expected, canQuote := quoteHCL(k.Expected, s.Hide)
	live, canQuoteLive := quoteHCL(found, s.Hide)

	happened, it := fmt.Sprintf("%s does not hold what %s says.", name, paths.Expected), "it"
	switch {
	case len(keys) > 1:
		happened = fmt.Sprintf("%s do not hold what %s.", enumerate(keys), strings.Join(s.expectations(e), " and ")+
			number(len(s.expectations(e)), " says", " say"))
	case isMissing:
		happened = fmt.Sprintf("The %s has no key %q.", s.ID.Kind, name)
		if s.APIVersion != "" {
			happened = fmt.Sprintf("%s is absent, which %s does not expect.", name, paths.Expected)
		}
	case k.Expected.IsAbsent():
		happened = fmt.Sprintf("%s says that %s is absent, but it exists.", paths.Expected, name)
		if canQuoteLive {
			happened = fmt.Sprintf("%s says that %s is absent, but it holds %s.", paths.Expected, name, live)
		}
	case canQuote && canQuoteLive:
		happened = fmt.Sprintf("%s is %s, but %s holds %s.", paths.Expected, expected, name, live)
	}
	if canQuoteLive {
		it = live
	}

	var next string
	switch {
	case len(keys) > 1:
		next = fmt.Sprintf("To replace these values, %s%s.", s.expect(e, keys), s.keep(e.Live, keys))
	case isGuard:
		next = fmt.Sprintf("Run terraform plan again when %s is as expected, or change %s.", name, paths.Expected)
	case isMissing && k.New.IsAbsent():
		next = fmt.Sprintf("%s is not there. Remove it from %s and from %s.", name, root(paths.Value), root(paths.Expected))
	case isMissing:
		next = fmt.Sprintf("To create %s, remove %s.", name, paths.Expected)
	default:
		next = fmt.Sprintf("To replace %s, %s%s.", it, s.expect(e, keys), s.keep(e.Live, keys))
	}
	if isMissing && len(keys) == 1 {
		next = didYouMean(k.Key, keysIn(e.Live)) + next
	}
	return s.refuse(ExpectedValueMismatch, paths.Expected, happened, facts, s.orDestroy(next))
}

// mixed is for keys with different faults, each with a way of its own.
func (s Subject) mixed(e *eval.ConflictError, faults []fault) diag.Diagnostic {
	var facts []Fact
	order := make([]int, len(e.Keys)) // the one that the message points at comes first
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(faults[a], faults[b]) })
	at := s.Keys[e.Keys[order[0]].Key].Value
	if faults[order[0]] == faultMismatch {
		at = s.Keys[e.Keys[order[0]].Key].Expected
	}
	for _, i := range order {
		k, problem := e.Keys[i], "it changed "+s.since(true)
		switch expected := s.Keys[k.Key].Expected; faults[i] {
		case faultMismatch:
			problem = fmt.Sprintf("%s does not match", expected)
		case faultHeld:
			problem = "it already holds the value to write; adopt_existing = true takes it over"
		case faultExists:
			problem = fmt.Sprintf("it already exists; to replace it, set %s", expected)
		case faultChanged:
		}
		facts = append(append(facts, s.keyFacts(k, e.Live)...), Fact{"Problem", problem})
		if faults[i] == faultHeld && s.Op == terms.OpCreate && !k.New.IsAbsent() {
			facts = append(facts, s.importFact([]string{k.Key})...)
		}
	}
	return s.refuse(CompareAndSwapConflict, at, enumerate(keysOf(e.Keys))+" do not hold what this "+s.self()+" expects.",
		append(facts, s.versionFacts(e)...),
		s.orDestroy("Resolve the problem of each "+s.part()+", then run terraform plan again."))
}

// expectations are the attributes that expect something of the keys.
func (s Subject) expectations(e *eval.ConflictError) (names []string) {
	for _, k := range e.Keys {
		names = append(names, root(s.Keys[k.Key].Expected))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// expect says how to have the configuration expect what the keys hold.
func (s Subject) expect(e *eval.ConflictError, keys []string) string {
	if len(keys) > 1 {
		return "copy them to " + strings.Join(s.expectations(e), " and ")
	}
	return s.set(s.Keys[keys[0]].Expected, keys[0], e.Live.Value(keys[0]))
}

// self returns the configuration's word for the subject.
func (s Subject) self() string {
	if s.Op == terms.OpInvoke {
		return "action"
	}
	return "resource"
}

// keep says, after another way, how to have the configuration keep what the keys hold. An action keeps nothing.
func (s Subject) keep(live *eval.Snapshot, keys []string) string {
	if s.Op == terms.OpInvoke {
		return ""
	}
	way, also := "copy them to "+root(s.Value), " and set adopt_existing = true"
	if len(keys) == 1 {
		way, also = s.set(s.Keys[keys[0]].Value, keys[0], live.Value(keys[0])), " and adopt_existing = true"
	}
	if s.Op == terms.OpCreate {
		way += also
	}
	return number(len(keys), "; to keep it, ", "; to keep them, ") + way
}

// set says how to give an attribute what a key holds.
func (s Subject) set(at path.Path, key string, e eval.Value) string {
	value, canQuote := quoteHCL(e, s.forKey(key).Hide)
	key, _ = NameOf(key)
	if e.IsAbsent() && len(at.Steps()) > 1 {
		return fmt.Sprintf("set %q = null in %s", key, root(at))
	}
	at = attributeFor(at, e)
	if name := root(at); !canQuote || takesBase64(name) {
		return fmt.Sprintf("set %s to what %s holds", at, key)
	}
	if len(at.Steps()) == 1 {
		return fmt.Sprintf("set %s = %s", at, value)
	}
	return fmt.Sprintf("set %q = %s in %s", key, value, root(at))
}

// takesBase64 reports whether an attribute takes bytes, in base64.
func takesBase64(name string) bool {
	return strings.Contains(name, "base64") || strings.Contains(name, "binary")
}

// attributeFor is the attribute that takes what a key holds: text and bytes have one each.
func attributeFor(at path.Path, e eval.Value) path.Path {
	attributes := map[string]string{
		"value": "value_base64", "expected_value": "expected_value_base64", "data": "binary_data",
		"expected_data": "expected_binary_data",
	}
	_, isBinary := e.Binary()
	for textual, encoded := range attributes {
		from, to := encoded, textual
		if isBinary {
			from, to = textual, encoded
		}
		if root(at) != from || e.IsAbsent() {
			continue
		}
		renamed := path.Root(to)
		if steps := at.Steps(); len(steps) > 1 {
			if key, ok := steps[1].(path.PathStepElementKeyString); ok {
				renamed = renamed.AtMapKey(string(key))
			}
		}
		return renamed
	}
	return at
}

// root is the name of the attribute that a path begins with.
func root(p path.Path) string {
	steps := p.Steps()
	if len(steps) == 0 {
		return ""
	}
	return steps[0].String()
}
