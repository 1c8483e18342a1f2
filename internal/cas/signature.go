package cas

import (
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// signature ends the field managers that are one Engine's alone.
type signature string

func newSignature() signature { return signature("-" + strings.ToLower(rand.Text()[:10])) }

// sign makes a field manager of a name, which is cut where that takes more than a field manager may have.
func (s signature) sign(name string) string {
	const most = 128 // in k8s.io/apimachinery, in bytes
	cut := min(len(name), most-len(s))
	for cut > 0 && cut < len(name) && !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut] + string(s)
}

func (s signature) isOf(fieldManager string) bool { return strings.HasSuffix(fieldManager, string(s)) }

// isSigned tells whether who owns the keys that the group writes tells whose write it was, even where another writes the same
// values. A key that is removed has no owner, and so tells nothing.
func (g *group) isSigned() bool {
	return g.signature != "" && g.signature.isOf(g.tasks[0].txn.FieldManager) && slices.ContainsFunc(g.changes, change.signs)
}

// signs tells whether the change leaves its writer's name on the key.
func (c change) signs() bool { return !c.isGuard && !c.to.IsAbsent() && c.to != c.from }

// signedMeta is what the group's merge patch does beside keys.
func (g *group) signedMeta() *Meta {
	owner := g.firstOwner()
	if owner == nil {
		return g.meta()
	}
	signed := Meta{}
	if m := g.meta(); m != nil {
		signed = *m
	}
	signed.owner = owner
	return &signed
}

// firstOwner is what a signed write has managedFields begin with where the object has none: the API server keeps account of no
// update of a ConfigMap that was made empty, and so of no signature (skipNonAppliedManager in k8s.io/apimachinery), until it is
// given an entry. What the entry says of fields, the API server replaces by what was written.
func (g *group) firstOwner() *metav1.ManagedFieldsEntry {
	if g.from == nil || len(g.from.configMap.ManagedFields) > 0 || !g.isSigned() {
		return nil
	}
	fields := map[string]map[string]struct{}{}
	for _, c := range g.changes {
		if !c.signs() {
			continue
		}
		where := "f:data"
		if _, isBinary := c.to.Binary(); isBinary {
			where = "f:binaryData"
		}
		if fields[where] == nil {
			fields[where] = map[string]struct{}{}
		}
		fields[where]["f:"+c.key] = struct{}{}
	}
	raw, err := json.Marshal(fields)
	if err != nil {
		return nil // cannot be: it is made of strings
	}
	return &metav1.ManagedFieldsEntry{
		Manager: g.tasks[0].txn.FieldManager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: corev1.SchemeGroupVersion.String(),
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(string(raw)),
	}
}

// isProven tells whether the object, as it was at any time after the group's base, shows that the group's write landed: what it
// was to write was changed since, and is this Engine's own still. Who changes a key owns it, and this Engine sends one request
// at a time. That it is not proven says nothing: another may have written since.
func (g *group) isProven(now *Observation) bool {
	if g.from == nil || now.Version().UID != g.from.Version().UID || !g.isSigned() {
		return false
	}
	for _, c := range g.changes {
		owners, _ := now.owners(c.key)
		if c.signs() && (now.Entry(c.key) == c.from || !slices.Contains(owners, g.tasks[0].txn.FieldManager)) {
			return false
		}
	}
	return true
}
