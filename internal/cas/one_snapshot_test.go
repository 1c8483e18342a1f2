package cas

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Given an entry and a label of one ConfigMap; when one process writes both at once, then they share one read and one
// patch.
func TestEntryAndLabelShareARequest(t *testing.T) {
	f := &fieldsFixture{fixture: newFixture(t, map[string]string{"foo": "1"}), apiVersion: "v1"}
	label := f.txn(change{"metadata.labels.team", "", `"a"`})
	for _, err := range f.inOneBatch(
		f.committing(f.swapping("foo", one, two).Txn()),
		f.committing(label),
	) {
		f.want(eval.Applied, err)
	}
	f.wantRequests("GET PATCH")
	f.wantData(map[string]string{"foo": "2"})
	if got := f.live().Labels["team"]; got != "a" {
		t.Errorf("label %q, want a", got)
	}
}

// Given a ConfigMap with finalizers; when a transaction removes one of them and then all, then the API server stores just
// the rest, and the data stays.
func TestFinalizersOfAConfigMapAreRemoved(t *testing.T) {
	f := &fieldsFixture{fixture: newFixture(t, map[string]string{"foo": "1"}), apiVersion: "v1"}
	const both, last = `["example.com/a","example.com/b"]`, `["example.com/b"]`
	_, err := f.commit(f.txn(change{"metadata.finalizers", "", both}))
	f.want(eval.Applied, err)
	_, err = f.commit(f.txn(change{"metadata.finalizers[=example.com/a]", `"example.com/a"`, ""}))
	f.want(eval.Applied, err)
	f.wantField("metadata.finalizers", last)
	_, err = f.commit(f.txn(change{"metadata.finalizers", last, ""}))
	f.want(eval.Applied, err)
	if got := f.live().Finalizers; len(got) > 0 {
		t.Errorf("finalizers %v, want none", got)
	}
	f.wantData(map[string]string{"foo": "1"})
}
