package decide

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Memory has the facts about one resource instance that are not in its state.
//
// A memory contains no value of a Secret, and nothing that guesses could be tested against. For a ConfigMap, Originals
// and Replaced have whole values, and Baseline has digests.
type Memory struct {
	// Originals has the content of each key before the resource wrote or adopted it; deletion_policy uses it. For a Secret
	// it only shows whether the key existed. A resource that was moved from another provider has none. If the object
	// was created again, it is the content of the new object.
	Originals map[string]eval.Value `json:"originals,omitempty"`
	// Baseline has the digest of the stored value at the last write, adoption, import or move. If all entries of a map
	// belong to the resource, a refresh adds absence as the baseline of an entry by another writer.
	Baseline map[string]string `json:"baseline,omitempty"`
	// Replaced has the values of the baseline that a refresh replaced in the state, for the message about drift.
	Replaced map[string]eval.Value `json:"replaced,omitempty"`
	// Forms has the values of fields that the API server stored in another form than was written. They count as
	// written.
	Forms map[string]eval.Value `json:"forms,omitempty"`
	// Appliers has the managers that applied a key before this provider overwrote it. A released key is handed back to
	// them.
	Appliers map[string]eval.Applier `json:"appliers,omitempty"`
	Tags     Tags                    `json:"tags,omitzero"` // of a Secret
	// Import has the keys that an import named until the read that follows it: none for all keys, nil without an import.
	Import []string `json:"import,omitzero"`
	// Unnamed are the labels, annotations and the like of a whole object that an import found. The next update does not
	// remove those that the configuration does not name.
	Unnamed []string `json:"unnamed,omitempty"`
	// Plan is handed from a plan to its apply. A state that was applied has none.
	Plan Notes `json:"plan,omitzero"`

	Kind eval.Kind `json:"-"` // of the object
}

// Tags show drift in a Secret, whose state has no values.
type Tags struct {
	Key   []byte            `json:"key,omitempty"`   // a random key
	Found map[string]string `json:"found,omitempty"` // the tags of the values that the last read found
}

// Notes are the facts that a plan hands to its apply.
type Notes struct {
	// Removal has the content that the plan of a removal read; the removal compares with it.
	Removal *RemovalNote `json:"removal,omitempty"`
	// Left says that the plan of an update leaves the values of a Secret to others. With ignore_changes, an apply has
	// a write-only argument that its plan does not have.
	Left bool `json:"left,omitempty"`
	// Needs has the keys that a planned creation needs unchanged, in case it replaces a tainted resource: the removal
	// comes first.
	Needs *NeedsNote `json:"needs,omitempty"`
}

// RemovalNote has the content that the plan of a removal read. ID names the resource: in a replacement, Terraform hands
// the note to the call that plans the new resource.
type RemovalNote struct {
	versionNote

	ID      string                `json:"id"`
	Entries map[string]eval.Value `json:"entries,omitzero"`   // nil: the values of the prior state, without a read
	Keys    []string              `json:"keys,omitempty"`     // that the removal writes, or leaves in place
	Keeps   []string              `json:"keeps,omitempty"`    // those that exist after the removal
	OnDrift string                `json:"on_drift,omitempty"` // of a replacement's plan; empty: the on_drift of the state
	Policy  string                `json:"policy,omitempty"`   // of a whole object: the deletion_policy of the state
}

// versionNote is the stored form of a version.
type versionNote struct {
	UID             string `json:"uid,omitempty"`
	ResourceVersion string `json:"resource_version,omitempty"`
}

// Version returns the version that the plan read.
func (n *RemovalNote) Version() eval.Version { return eval.Version(n.versionNote) }

// NeedsNote has the keys that a planned creation needs unchanged.
type NeedsNote struct {
	ID   string   `json:"id"`
	Keys []string `json:"keys"`
}

// RemovalOf returns the note of a plan for the removal of a resource; nil without a note.
func (m Memory) RemovalOf(id string) *RemovalNote {
	if note := m.Plan.Removal; note != nil && note.ID == id {
		return note
	}
	return nil
}

// isDrift reports whether a field contains another value than at the last write. A field without a baseline is new.
func (m Memory) isDrift(key string, live eval.Value) bool {
	digest, isSeen := m.found(key, live)
	written, isKnown := m.Baseline[key]
	return isKnown && isSeen && digest != written
}

// found returns the digest of a field. It is false for a value that no read has found: a state has no values of a
// Secret.
func (m Memory) found(key string, live eval.Value) (digest string, isSeen bool) {
	if live.IsAnything() {
		digest, isSeen = m.Tags.Found[key]
		return digest, isSeen
	}
	return m.digest(live), true
}

// same reports whether a key contains the value.
func (m Memory) same(key string, value, live eval.Value) bool {
	if live.IsAnything() {
		digest, isSeen := m.found(key, live)
		return isSeen && digest == m.digest(value)
	}
	return value.Matches(live)
}

// tagBytes is the length of a tag. It is short on purpose: the key is stored beside it, and anyone who has the state
// could test guesses against a longer tag. So a tag shows drift, and never permits a write: one other value in
// 65,536 has the same tag.
const tagBytes = 2

// baselineDigits is how many hexadecimal digits of a digest are kept: 128 bits.
const baselineDigits = 32

// digest returns the stored form of a value for comparisons: a digest for a ConfigMap, a tag for a Secret.
func (m Memory) digest(e eval.Value) string {
	if m.Kind != eval.Secret || e.IsAbsent() {
		where, digits, isDigest := strings.Cut(e.Digest(), ":")
		if !isDigest {
			return where
		}
		return where + ":" + digits[:baselineDigits]
	}
	mac := hmac.New(sha256.New, m.Tags.Key)
	mac.Write([]byte(e.Digest()))
	return hex.EncodeToString(mac.Sum(nil)[:tagBytes])
}

// original returns the stored form of a value that a removal may put back.
func (m Memory) original(e eval.Value) eval.Value {
	if m.Kind == eval.Secret && !e.IsAbsent() {
		return eval.Anything()
	}
	return e
}

// observed returns the memory after a read found these values in keys of a Secret.
func (m Memory) observed(seen *eval.Snapshot, keys []string) Memory {
	if m.Kind == eval.Secret {
		m.Tags.Found = map[string]string{}
		for _, key := range keys {
			m.Tags.Found[key] = m.digest(seen.Value(key))
		}
	}
	return m
}

// withNewOriginals returns the memory for an object that was created again: the resource has written nothing to it, so
// its content is the original of each key whose original was known.
func (m Memory) withNewOriginals(keys []string, content func(key string) eval.Value) Memory {
	originals := map[string]eval.Value{}
	for _, key := range keys {
		if _, isKnown := m.Originals[key]; isKnown {
			originals[key] = m.original(content(key))
		}
	}
	m.Originals = originals
	return m
}

// wroteIn reports whether the resource had a part of a field that it adopts now: then the original of the whole field
// is not known.
func (m Memory) wroteIn(key string) bool {
	isPart := func(had string) bool { return eval.MayBeIn(had, key) }
	return slices.ContainsFunc(slices.Collect(maps.Keys(m.Originals)), isPart)
}

// Unowned returns the entries, sorted, that do not contain what the resource of a whole object last wrote or imported.
// If private state does not have that, it returns all entries.
func (m Memory) Unowned(values map[string]eval.Value) []string {
	return slices.DeleteFunc(sortedKeys(values), func(key string) bool {
		digest, isSeen := m.found(key, values[key])
		written, wrote := m.Baseline[key]
		return !eval.IsEntry(key) || wrote && (!isSeen || digest == written)
	})
}

// isAnother reports whether an object was deleted and created again.
func isAnother(was, now eval.Version) bool {
	return was.UID != "" && now.UID != "" && was.UID != now.UID
}

// Rebased returns the memory with the values of a state as the baseline, after an import or a move from another
// provider. The originals stay unknown.
func Rebased(m Memory, c *Claim) Memory {
	m.Baseline, m.Import = map[string]string{}, nil
	for key, e := range c.Values {
		m.Baseline[key] = m.digest(e)
	}
	return m
}

// Imported returns the memory with the values that an import found as the originals and the baseline. c is the claim of
// the state, and keys are the keys of the import.
func Imported(m Memory, c *Claim, keys []string, seen *eval.Snapshot) Memory {
	m = Rebased(m, c)
	m.Originals = map[string]eval.Value{}
	if c.Whole != nil {
		keys, m.Unnamed = c.Keys(), slices.Clone(m.Unnamed)
	}
	for _, key := range keys {
		m.Baseline[key] = m.digest(seen.Value(key))
		if c.Whole == nil || !eval.IsEntry(key) {
			m.Originals[key] = m.original(seen.Value(key))
		}
		if c.Whole != nil && !eval.IsEntry(key) {
			m.Unnamed = append(m.Unnamed, key)
		}
	}
	return m.observed(seen, keys)
}
