package eval_test

import (
	"strings"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Given a path into an element that a list lacks, has twice, or has beside a null; then the error says which it is.
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
		`[{"name":"a","size":"1"},{"name":"a","size":"3"}]`: "has several elements that [name=a] selects",
		`[{"name":"a","size":"1"},null]`:                    "spec.parts holds a null",
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

func TestAWholeElementIsAdded(t *testing.T) {
	t.Parallel()
	widget := eval.KindOf("example.com", "Widget")
	key, err := eval.FieldKey(widget, "spec.parts[name=a]")
	if err != nil {
		t.Fatal(err)
	}
	o, err := eval.DecodeSnapshot(widget, "example.com/v1", []byte(`{"spec":{"parts":[{"name":"b"}]}}`), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	txn := &eval.Txn{Ref: eval.Ref{Kind: widget, Name: "w"}, Keys: []eval.KeySwap{{Key: key, New: entryOf(t, `{"name":"a"}`)}}}
	if err := eval.Evaluate(txn, o, nil, &eval.Chain{}).Err; err != nil {
		t.Error(err)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"spec..size", "metadata"} {
		if key, err := eval.FieldKey(eval.KindOf("example.com", "Widget"), path); err == nil {
			t.Errorf("%s is the key %s, want an error", path, key)
		}
	}
	if !eval.Overlap("foo", "foo") || eval.Overlap("foo", "bar") {
		t.Errorf("foo overlaps itself: %t, bar: %t", eval.Overlap("foo", "foo"), eval.Overlap("foo", "bar"))
	}
}
