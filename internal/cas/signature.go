package cas

import (
	"cmp"
	"crypto/rand"
	"slices"
	"strings"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
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

// isSigned reports whether who owns the keys that the batch writes tells whose write it was, even where another writes the same
// values. A key that is removed has no owner, and so tells nothing.
func (b *batch) isSigned() bool {
	return b.signature != "" && b.signature.isOf(b.manager()) && slices.ContainsFunc(b.changes, judging.Change.Signs)
}

// firstOwner is what managedFields begin with where the object has none: the API server keeps account of no update of a ConfigMap that was
// made empty (skipNonAppliedManager in k8s.io/apimachinery), and so nothing would tell whose a write was, until it is given an entry. What
// the entry says of fields, the API server replaces by what was written. It is nil where the batch leaves nothing that one can own.
func (b *batch) firstOwner() *metav1.ManagedFieldsEntry {
	if b.from == nil || len(b.from.Object().ManagedFields) > 0 {
		return nil
	}
	fields := fieldpath.NewSet()
	for f, to := range judging.FieldsOf(b.changes) {
		if !to.IsAbsent() {
			fields.Insert(b.from.Path(f))
		}
	}
	if fields.Empty() {
		return nil
	}
	raw, err := fields.ToJSON()
	if err != nil {
		return nil // cannot be: it is made of strings
	}
	return &metav1.ManagedFieldsEntry{
		Manager: b.manager(), Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: cmp.Or(b.from.APIVersion(), corev1.SchemeGroupVersion.String()),
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(string(raw)),
	}
}
