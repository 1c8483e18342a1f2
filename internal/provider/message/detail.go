package message

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Facts about an object, or about all keys of a message.
const (
	factUID     = "uid"
	factVersion = "resourceVersion"
	factMore    = "More differences"
	factWaited  = "Waited"
)

// Fact is one line of a diagnostic. Where its value has several lines, they follow below it.
type Fact struct{ Name, Value string }

// Detail is the form of all details: one sentence about the event, the facts, and one next step that works. The command
// line wraps no line that is indented.
func Detail(happened string, facts []Fact, next string) string {
	width := 0
	for _, f := range facts {
		width = max(width, len(f.Name))
	}
	lines := make([]string, len(facts))
	for i, f := range facts {
		lines[i] = fmt.Sprintf("  %-*s  %s", width+1, f.Name+":", strings.ReplaceAll(f.Value, "\n", "\n    "))
	}
	parts := []string{happened, strings.Join(lines, "\n"), next}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "\n\n")
}

// mostNames is how many names a diagnostic lists.
const mostNames = 10

// Nearest lists names that exist, those most like the missing one first.
func Nearest(missing string, names []string) string {
	if len(names) == 0 {
		return "(none)"
	}
	return listed(byNearness(missing, names))
}

// listed are names, or the first of them where they are many.
func listed(names []string) string {
	if len(names) > mostNames {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNames], ", "), len(names)-mostNames)
	}
	return strings.Join(names, ", ")
}

// enumerate lists keys in a sentence.
func enumerate(keys []string) string {
	names := make([]string, len(keys))
	isOfFields := false
	for i, key := range keys {
		noun, name := nounAndName(key)
		if noun == PartLabel || noun == PartAnnotation {
			name = strings.ToLower(noun) + " " + name
		}
		names[i], isOfFields = name, noun == partField
	}
	keys = names
	switch n := len(keys); {
	case n > 3 && isOfFields:
		return fmt.Sprintf("%d fields", n)
	case n > 3:
		return fmt.Sprintf("%d keys", n)
	case n > 1:
		return strings.Join(keys[:n-1], ", ") + " and " + keys[n-1]
	default:
		return strings.Join(keys, "")
	}
}

// number chooses the words for one or for several.
func number(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// conflictFacts are the facts about what changed, and about the version.
func (s Subject) conflictFacts(e *eval.ConflictError) (facts []Fact) {
	ofKeys := e.Reason == eval.ReasonKey || e.Reason == eval.ReasonEqual
	for _, k := range e.Keys {
		if ofKeys || !e.Live.Value(k.Key).Matches(k.Expected) {
			facts = append(facts, s.keyFacts(k, e.Live)...)
		}
	}
	if len(facts) == 0 {
		facts = append(facts, s.changedBy(e.Live.LastWriters())...)
	}
	return append(facts, s.versionFacts(e)...)
}

// keyFacts are the facts about one key of a conflict.
func (s Subject) keyFacts(k eval.KeyConflict, live *eval.Snapshot) []Fact {
	facts, found := s.keyFact(k.Key), live.Value(k.Key)
	s = s.forKey(k.Key)
	if k.Reason == eval.ReasonEqual {
		facts = append(facts, Fact{"Found", renderOne(found, s.Hide)})
	} else {
		facts = append(append(facts, s.compare("Expected", k.Expected, "Found", found)...), s.lookalikeFact(k, found)...)
	}
	if found.IsAbsent() && !k.Expected.IsAbsent() {
		facts = append(facts, existingKeys(k.Key, live)...)
	}
	return append(facts, s.changedBy(live.Owners(k.Key))...)
}

// keyFact names a key, where the detail does not begin with it.
func (s Subject) keyFact(keys ...string) (facts []Fact) {
	if s.ID.Key == "" {
		for _, key := range keys {
			noun, name := nounAndName(key)
			facts = append(facts, Fact{noun, name})
		}
	}
	return facts
}

// keyPath is the attribute that names a key.
func (s Subject) keyPath(key string) path.Path {
	if s.ID.Key != "" {
		return path.Root("key")
	}
	return s.Keys[key].Value
}

// compare shows two values, those of several lines by where they differ.
func (s Subject) compare(nameA string, a eval.Value, nameB string, b eval.Value) []Fact {
	most := diffLines
	if s.APIVersion != "" {
		most = fieldDiffLines
	}
	if diff := lineDiff(a, b, most); diff != "" && s.Hide == ShowValues {
		return []Fact{{"Difference", fmt.Sprintf("- %s, + %s\n%s", strings.ToLower(nameA), strings.ToLower(nameB), diff)}}
	}
	if facts := s.leaves(nameA, a, nameB, b); facts != nil {
		return facts
	}
	shownA, shownB := renderPair(a, b, s.Hide)
	return append([]Fact{{nameA, shownA}, {nameB, shownB}}, s.quantities(a, b)...)
}

// forKey is the subject for facts about a key. Only the entries of a Secret are secret: the state has the rest.
func (s Subject) forKey(key string) Subject {
	if s.Hide == ShowNothing && !eval.IsEntry(key) {
		s.Hide = ShowValues
	}
	return s
}

// existingKeys lists the keys of a ConfigMap, in which one is missing.
func existingKeys(missing string, live *eval.Snapshot) []Fact {
	if !live.Exists() || !eval.IsEntry(missing) {
		return nil
	}
	return []Fact{{"Existing keys", Nearest(missing, keysIn(live))}}
}

func keysIn(live *eval.Snapshot) []string { return slices.Collect(maps.Keys(live.Entries())) }

// changedBy names writers, who may be several: the owners of a key, or those who wrote to an object in the same second.
// A name that this provider uses says only that.
func (s Subject) changedBy(writers []eval.Writer) []Fact {
	if len(writers) == 0 {
		return nil
	}
	names := make([]string, len(writers))
	for i, w := range writers {
		var notes []string
		if !w.Time.IsZero() {
			notes = append(notes, "last write "+w.Time.Format(time.RFC3339))
		}
		switch {
		case w.Manager == s.Manager && w.Manager != terms.DefaultFieldManager:
			notes = append(notes, "this configuration, or another one with the same field_manager")
		case w.Manager == terms.DefaultFieldManager: // also before this configuration got a name of its own
			notes = append(notes, "this configuration, or another one that uses this provider")
		}
		if names[i] = w.Manager; notes != nil {
			names[i] += " (" + strings.Join(notes, "; ") + ")"
		}
	}
	if s.Document != "" { // the owner of the key may have changed another field
		return []Fact{{"Key last written by", strings.Join(names, " or ")}}
	}
	return []Fact{{"Changed by", strings.Join(names, " or ")}}
}

// versionFacts are the facts about the version of a conflict.
func (s Subject) versionFacts(e *eval.ConflictError) (facts []Fact) {
	if !e.Live.Exists() {
		return nil
	}
	was := " when planned"
	switch {
	case e.Reason == eval.ReasonVersion:
		was = " expected"
	case !s.isApplied():
		was = " when last read"
	}
	now := e.Live.Version()
	version := now.ResourceVersion
	if at := e.At.ResourceVersion; at != "" && at != version {
		version = at + was + ", " + version + " now"
	}
	if isRemade(e) {
		facts = append(facts, Fact{factUID, e.At.UID + was + ", " + now.UID + " now"})
	}
	return append(facts, Fact{factVersion, version})
}
