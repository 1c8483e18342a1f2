package claim

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
)

// Memory has the facts about one resource instance that are not in its state. Private state keeps them as one JSON
// document: each call of Terraform begins with [Recall], and ends with [Memory.Keep]. An unchanged memory keeps its
// bytes, since Terraform takes other bytes for a change. The bytes are few, since Terraform writes the whole state
// after each resource.
//
// A memory contains no value of a Secret, and nothing that guesses could be tested against. For a ConfigMap, First and
// Replaced have whole values, and the rest digests.
type Memory struct {
	// Form is the version of the stored form. Another form is refused.
	Form int `json:"form"`
	// Instance is a random token. It tells the instance from others of the same run that want the same key or object. A creation gets its token when it
	// is planned, and another one when it is applied.
	Instance string `json:"instance,omitempty"`
	// First is the content of each key before the resource wrote or adopted it; deletion_policy uses it. For a Secret
	// it only shows whether the key existed. A resource that was moved from another provider has none. If the object
	// was created again, it is the content of the new object.
	First map[string]eval.Value `json:"first,omitempty"`
	// Written is the baseline of drift: the digest of the stored value at the last write, adoption, import or move. If
	// all entries of a map belong to the resource, a refresh adds absence as the baseline of an entry by another writer.
	Written map[string]string `json:"written,omitempty"`
	// Replaced has the values of Written that a refresh replaced in the state, for the message about drift.
	Replaced map[string]eval.Value `json:"replaced,omitempty"`
	// Forms has the values of fields that the API server stored in another form than was written. They count as
	// written.
	Forms map[string]eval.Value `json:"forms,omitempty"`
	// Observed has the tags of the values that the last read found in the keys of a Secret, for a comparison with
	// Written: the state has no values.
	Observed map[string]string `json:"observed,omitempty"`
	// TagKey is the random key of a Secret's tags.
	TagKey []byte `json:"tag_key,omitempty"`
	// Import has the keys that an import named, none where it is of all, until the read that follows it. nil: there was no import.
	Import []string `json:"import,omitzero"`

	// Unnamed are the labels, annotations and the like of a whole object that an import found. The next update does not
	// remove those that the configuration does not name.
	Unnamed []string `json:"unnamed,omitempty"`

	// The rest is handed from a plan to its apply. It is in plans only, and never in a state that was applied.

	// Removal has the content that the plan of a removal saw; the removal compares with it.
	Removal *removalNote `json:"removal,omitempty"`
	// Left says that the plan of an update leaves the values of a Secret to others. With ignore_changes, the apply is given a write-only argument that the plan is not.
	Left bool `json:"left,omitempty"`
	// Needs are the keys that a planned creation needs as they are, in case it replaces a tainted resource, whose removal comes first.
	Needs *needsNote `json:"needs,omitempty"`

	kind eval.Kind // of the object
}

// versionNote is the version of an object.
type versionNote struct {
	UID             string `json:"uid,omitempty"`
	ResourceVersion string `json:"resource_version,omitempty"`
}

// removalNote has the content that the plan of a removal saw. ID names the resource: in a replace, Terraform hands the
// note to the call that plans the new one.
type removalNote struct {
	versionNote

	ID      string                `json:"id"`
	Entries map[string]eval.Value `json:"entries,omitzero"`   // nil: what the prior state says, which no read of the plan confirmed
	Keys    []string              `json:"keys,omitempty"`     // that the removal writes, or leaves in place
	Keeps   []string              `json:"keeps,omitempty"`    // those that are there after it
	OnDrift string                `json:"on_drift,omitempty"` // of the plan of a replace; empty: the state's
	Policy  string                `json:"policy,omitempty"`   // of a whole object: the state's deletion_policy
}

// needsNote has the keys that a planned creation needs as they are.
type needsNote struct {
	ID   string   `json:"id"`
	Keys []string `json:"keys"`
}

const (
	// memoryForm is the form of memories.
	memoryForm = 1
	// memoryPart is where private state keeps a memory, and formerPart is what it has where it was written before there was one.
	memoryPart, formerPart = "memory", "instance"
)

// Private is the private state of a resource.
type Private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// Recall gives what is known of a resource of the kind: nothing yet where private state is empty.
func Recall(ctx context.Context, from Private, kind eval.Kind) (*Memory, diag.Diagnostics) {
	raw, diags := from.GetKey(ctx, memoryPart)
	former, more := from.GetKey(ctx, formerPart)
	m, err := parseMemory(raw)
	if diags.Append(more...); err != nil || len(former) > 0 {
		diags.Append(unreadable())
		m.Form = 0
	}
	m.kind = kind
	return m, diags
}

// parseMemory reads a memory, a blank one from nothing.
func parseMemory(raw []byte) (*Memory, error) {
	m := &Memory{Form: memoryForm}
	if len(raw) == 0 {
		return m, nil
	}
	m.Form = 0
	if err := json.Unmarshal(raw, m); err != nil {
		return m, err
	}
	if m.Form != memoryForm {
		return m, errors.New("another form")
	}
	return m, nil
}

func unreadable() diag.Diagnostic {
	return diagnose.TitleUnreadablePrivateState.With(diagnose.Detail(
		"The provider cannot read the private state of this resource: another version of the provider wrote it, or it is damaged.", nil, "Run terraform state rm with the address of this resource, then import the resource again."))
}

// Keep stores the memory. An empty memory is removed, and a memory that could not be read stays as it is.
func (m *Memory) Keep(ctx context.Context, to Private) diag.Diagnostics {
	if m.Form != memoryForm {
		return nil
	}
	if reflect.DeepEqual(*m, Memory{Form: m.Form, kind: m.kind}) {
		return to.SetKey(ctx, memoryPart, nil)
	}
	raw, err := json.Marshal(m)
	if err != nil {
		return diag.Diagnostics{diagnose.TitleUnexpectedError.With(diagnose.Detail("The private state could not be encoded.",
			[]diagnose.Fact{{Name: "Cause", Value: err.Error()}}, diagnose.Report))}
	}
	return to.SetKey(ctx, memoryPart, raw)
}

// ForgetPlan drops what belongs in plans only.
func (m *Memory) ForgetPlan() { m.Removal, m.Needs, m.Left = nil, nil, false }

// removalOf returns the note of a plan for the removal of a resource; nil without a note.
func (m *Memory) removalOf(id string) *removalNote {
	if m.Removal == nil || m.Removal.ID != id {
		return nil
	}
	return m.Removal
}

// token tells the resource instance from others, if it has a token yet.
func (m *Memory) token() token { return token(m.Instance) }

// newToken is token, and gives the instance one.
func (m *Memory) newToken() token {
	if m.Instance == "" {
		m.Instance = rand.Text()[:tokenLength]
	}
	return m.token()
}

// isDrift reports whether a field holds another value than at the last write. A field without a baseline is new.
func (m *Memory) isDrift(key string, live eval.Value) bool {
	digest, isSeen := m.found(key, live)
	written, isKnown := m.Written[key]
	return isKnown && isSeen && digest != written
}

// noteOthers records that entries which another writer added to a map of the claim were absent at the last write.
func (m *Memory) noteOthers(c *Claim, seen *eval.Snapshot) {
	for key, e := range seen.Entries() {
		if _, isKnown := m.Written[key]; !isKnown && m.Written != nil && c.hasMapOf(key, e) {
			m.Written[key] = m.digest(eval.Value{})
		}
	}
}

// keepWritten keeps the values of a state that a refresh replaces although the resource wrote them, for the message
// about drift. The state of a Secret has no values.
func (m *Memory) keepWritten(c *Claim, seen *eval.Snapshot) {
	kept := map[string]eval.Value{}
	for key, was := range c.Values {
		switch former, isKept := m.Replaced[key]; {
		case was.IsAnything(), !m.isDrift(key, seen.Value(key)):
		case !m.isDrift(key, was):
			kept[key] = was
		case isKept:
			kept[key] = former
		}
	}
	m.Replaced = kept
}

// found returns the digest of a field. It is false for a value that no read has found: a state has no values of a
// Secret.
func (m *Memory) found(key string, live eval.Value) (digest string, isSeen bool) {
	if live.IsAnything() {
		digest, isSeen = m.Observed[key]
		return digest, isSeen
	}
	return m.digest(live), true
}

// same reports whether a key holds the value.
func (m *Memory) same(key string, value, live eval.Value) bool {
	if live.IsAnything() {
		digest, isSeen := m.found(key, live)
		return isSeen && digest == m.digest(value)
	}
	return value.Matches(live)
}

// observe notes what a read found in keys of a Secret.
func (m *Memory) observe(seen *eval.Snapshot, keys []string) {
	if m.kind != eval.Secret {
		return
	}
	m.Observed = map[string]string{}
	for _, key := range keys {
		m.Observed[key] = m.digest(seen.Value(key))
	}
}

// tagBytes is the length of a tag. It is short on purpose: the key is stored beside it, and anyone who has the state
// could test guesses against a longer tag. So a tag shows drift, and never permits a write: one other value in
// 65,536 has the same tag.
const tagBytes = 2

// baselineDigits is how many hexadecimal digits are kept of a digest: 128 bits.
const baselineDigits = 32

// digest returns the stored form of an entry for comparisons: a digest for a ConfigMap, a tag for a Secret.
func (m *Memory) digest(e eval.Value) string {
	if m.kind != eval.Secret || e.IsAbsent() {
		where, digits, holds := strings.Cut(e.Digest(), ":")
		if !holds {
			return where
		}
		return where + ":" + digits[:baselineDigits]
	}
	if m.TagKey == nil {
		m.TagKey = []byte(rand.Text())
	}
	mac := hmac.New(sha256.New, m.TagKey)
	mac.Write([]byte(e.Digest()))
	return hex.EncodeToString(mac.Sum(nil)[:tagBytes])
}

// entry returns the stored form of an entry that may be put back.
func (m *Memory) entry(e eval.Value) eval.Value {
	if m.kind == eval.Secret && !e.IsAbsent() {
		return eval.Anything()
	}
	return e
}

// entries is entry for several.
func (m *Memory) entries(all map[string]eval.Value) map[string]eval.Value {
	kept := make(map[string]eval.Value, len(all))
	for key, e := range all {
		kept[key] = m.entry(e)
	}
	return kept
}

// noteForms records the forms in which the API server stored the values of a write.
func (m *Memory) noteForms(plan *Claim, t *eval.Txn, result cas.TxnResult) {
	forms := map[string]eval.Value{}
	for key := range plan.Values {
		if form, has := m.Forms[key]; has {
			forms[key] = form
		}
	}
	for _, k := range t.Keys {
		stored := result.Stored[k.Key]
		// The removal of a field leaves its default.
		isForm := k.New.IsAbsent() || stored.Contains(k.New) || stored != result.Previous[k.Key]
		if delete(forms, k.Key); t.APIVersion != "" && !k.IsGuard && stored != k.New && isForm {
			forms[k.Key] = stored
		} else if form, has := m.Forms[k.Key]; has && k.IsGuard {
			forms[k.Key] = form
		}
	}
	if m.Forms = forms; len(forms) == 0 {
		m.Forms = nil
	}
}

// forgetForms drops the forms of fields whose value has changed since.
func (m *Memory) forgetForms(seen *eval.Snapshot) {
	maps.DeleteFunc(m.Forms, func(key string, form eval.Value) bool { return seen.Exists() && seen.Value(key) != form })
	if len(m.Forms) == 0 {
		m.Forms = nil
	}
}

// wroteIn reports whether the resource had a part of a field that it adopts now: then the original of the whole field
// is not known.
func (m *Memory) wroteIn(key string) bool {
	for had := range m.First {
		if eval.MayBeIn(had, key) {
			return true
		}
	}
	return false
}
