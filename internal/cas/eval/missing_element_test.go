package eval_test

import (
	"strings"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Given a path into an element that a list lacks; then the error says whether the list is empty, has elements without
// the member that selects, or has other elements, which it lists.
func TestMissingElement(t *testing.T) {
	t.Parallel()
	widget := eval.KindOf("example.com", "Widget")
	key, err := eval.FieldKey(widget, "spec.parts[name=a].size")
	if err != nil {
		t.Fatal(err)
	}
	for list, want := range map[string]string{
		`[]`:             "the list is empty",
		`[{"size":"1"}]`: "no element of the list has the member that selects",
		`[{"name":"b"}]`: "spec.parts[name=a] is not there",
	} {
		o, err := eval.DecodeSnapshot(widget, "example.com/v1", []byte(`{"spec":{"parts":`+list+`}}`), time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		txn := &eval.Txn{Ref: eval.Ref{Kind: widget, Name: "w"}, Keys: []eval.KeySwap{{Key: key, New: eval.Text("2")}}}
		if got := eval.Evaluate(txn, o, nil, &eval.Chain{}).Err; got == nil || !strings.Contains(got.Error(), want) {
			t.Errorf("%s: %v, want %q", list, got, want)
		}
	}
}
