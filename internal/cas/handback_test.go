package cas

import (
	"context"
	"encoding/json"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// applyAs applies data server-side, without force.
func (f *fixture) applyAs(manager string, data map[string]string) error {
	body, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": f.ref.Name}, "data": data})
	if err != nil {
		return err
	}
	_, err = f.cluster.Client().CoreV1().ConfigMaps(f.ref.Namespace).Patch(context.Background(), f.ref.Name, types.ApplyPatchType, body,
		metav1.PatchOptions{FieldManager: manager})
	return err
}

// handBack hands keys back to helm.
func (f *fixture) handBack(keys ...string) error {
	h := &eval.HandBack{Ref: f.ref, FieldManager: "engine", Keys: map[string]eval.Applier{}}
	for _, key := range keys {
		h.Keys[key] = eval.Applier{Manager: "helm", APIVersion: "v1", OverwrittenBy: "engine"}
	}
	return f.engine.HandBack(f.Context(), h)
}

// After a key was handed back, the next apply of its owner passes with the same and with another value. Other keys of
// this manager stay its own.
func TestHandBack(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		applied map[string]string // by helm
		next    map[string]string // the next apply of helm
	}{
		"the only key, with the same value":  {map[string]string{"foo": "1"}, map[string]string{"foo": "1"}},
		"the only key, with another value":   {map[string]string{"foo": "1"}, map[string]string{"foo": "3"}},
		"one of two keys, with other values": {map[string]string{"foo": "1", "baz": "1"}, map[string]string{"foo": "3", "baz": "3"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newEmptyFixture(t)
			if err := f.applyAs("helm", test.applied); err != nil {
				t.Fatal(err)
			}
			write := &eval.Txn{Ref: f.ref, FieldManager: "engine", Keys: []eval.KeySwap{
				{Key: "foo", Expect: one, New: two}, {Key: "mine", New: one},
			}}
			result, err := f.engine.Commit(t.Context(), write)
			if err != nil || result.Appliers["foo"] != (eval.Applier{Manager: "helm", APIVersion: "v1"}) || len(result.Appliers) != 1 {
				t.Fatalf("appliers: %v, %v", result.Appliers, err)
			}
			if err := f.applyAs("helm", map[string]string{"foo": "3"}); err == nil {
				t.Fatal("helm takes the key without a conflict")
			}
			if err := f.handBack("foo"); err != nil {
				t.Fatal(err)
			}
			if err := f.applyAs("helm", test.next); err != nil {
				t.Errorf("the next apply of helm: %v", err)
			}
			if err := f.applyAs("helm", map[string]string{"foo": "1", "mine": "2"}); err == nil {
				t.Error("another key of the engine is not its own any more")
			}
			if got := f.live().Data["mine"]; got != "1" {
				t.Errorf("mine is %q", got)
			}
		})
	}
}

// Keys that are handed back together share a request. Nothing is sent if another writer owns the key by then, or if the
// key is absent.
func TestRequestsOfHandBacks(t *testing.T) {
	f := newEmptyFixture(t)
	if err := f.applyAs("helm", map[string]string{"foo": "1", "bar": "1"}); err != nil {
		t.Fatal(err)
	}
	write := &eval.Txn{Ref: f.ref, FieldManager: "engine", Keys: []eval.KeySwap{
		{Key: "foo", Expect: one, New: two}, {Key: "bar", Expect: one, New: two},
	}}
	if _, err := f.engine.Commit(t.Context(), write); err != nil {
		t.Fatal(err)
	}
	f.wantRequests("GET PATCH")
	if err := f.handBack("foo", "bar"); err != nil {
		t.Fatal(err)
	}
	f.wantRequests("GET PATCH PATCH")
	if err := f.handBack("foo", "bar", "none"); err != nil {
		t.Fatal(err)
	}
	f.wantRequests("GET PATCH PATCH")
}

// A change of owners leaves text as it is that is not UTF-8.
func TestHandBackBesideTextThatIsNoUTF8(t *testing.T) {
	f := newEmptyFixture(t)
	if err := f.applyAs("helm", map[string]string{"foo": "1"}); err != nil {
		t.Fatal(err)
	}
	f.setRaw("raw", "a\xff\xfeb")
	if _, err := f.do(f.swapping("foo", one, two)); err != nil {
		t.Fatal(err)
	}
	if err := f.handBack("foo"); err != nil {
		t.Fatal(err)
	}
	if live := f.liveRaw(); live.Data["raw"] != "a\xff\xfeb" {
		t.Errorf("live data %q", live.Data)
	}
	if err := f.applyAs("helm", map[string]string{"foo": "3"}); err != nil {
		t.Errorf("the next apply of helm: %v", err)
	}
}

// A write between the write and the change of owners is no error, and its owner stays.
func TestHandBackBesideAnotherWriter(t *testing.T) {
	f := newEmptyFixture(t)
	if err := f.applyAs("helm", map[string]string{"foo": "1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.do(f.swapping("foo", one, two)); err != nil {
		t.Fatal(err)
	}
	f.beforePatch(func() { f.set("bar", "1") })
	if err := f.handBack("foo"); err != nil {
		t.Fatal(err)
	}
	f.wantData(map[string]string{"foo": "2", "bar": "1"})
	if err := f.applyAs("helm", map[string]string{"foo": "3"}); err != nil {
		t.Errorf("the next apply of helm: %v", err)
	}
	if err := f.applyAs("helm", map[string]string{"foo": "3", "bar": "2"}); err == nil {
		t.Error("the key of another writer is not its own any more")
	}
}
