package cas

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// ancient is the manager under which the API server puts the oldest together where there are many.
const ancient = "ancient-changes"

// managedFields of a real API server show the last writer, except after a removal.
func TestLastWritersAreAHint(t *testing.T) {
	tests := map[string]struct {
		manager, patch string
		known, nobody  bool
	}{
		"a write names its manager":             {manager: "last", patch: `{"data":{"foo":"2"}}`, known: true},
		"a removal leaves no trace":             {manager: "last", patch: `{"data":{"foo":null}}`},
		"without managedFields nobody is known": {manager: "last", patch: `{"metadata":{"managedFields":[{}]}}`, nobody: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
			if _, err := f.cluster.Client().CoreV1().ConfigMaps(f.ref.Namespace).Patch(context.Background(), f.ref.Name, types.MergePatchType,
				[]byte(test.patch), metav1.PatchOptions{FieldManager: test.manager}); err != nil {
				t.Fatal(err)
			}
			known := false // with others, where they wrote in the same second
			writers := eval.NewSnapshot(f.live(), time.Time{}).LastWriters()
			for _, w := range writers {
				known = known || w.Manager == test.manager
				if w.Time.Location() != time.UTC || time.Since(w.Time).Abs() > time.Hour {
					t.Errorf("%v is not of this hour, in UTC", w)
				}
			}
			if known != test.known || (len(writers) == 0) != test.nobody {
				t.Errorf("last writers: %v", writers)
			}
		})
	}
}

// The owners of a key are the manager that changed it and the managers that applied the same value.
func TestOwnersOfAKey(t *testing.T) {
	tests := map[string]struct {
		writes func(write func(manager, patch string), apply func(manager, data string))
		want   map[string][]string // by key; nil where nobody is known
	}{
		"who wrote last to another key owns only that": {
			writes: func(write func(manager, patch string), _ func(manager, data string)) {
				write("first", `{"data":{"foo":"2"}}`)
				write("last", `{"data":{"bar":"2"}}`)
			},
			want: map[string][]string{"foo": {"first"}, "bar": {"last"}},
		},
		"bytes are owned in binaryData": {
			writes: func(write func(manager, patch string), _ func(manager, data string)) {
				write("first", `{"data":{"foo":null},"binaryData":{"foo":"AQ=="}}`)
				write("last", `{"data":{"bar":"2"}}`)
			},
			want: map[string][]string{"foo": {"first"}, "bar": {"last"}},
		},
		"who applies the same value owns it too": {
			writes: func(write func(manager, patch string), apply func(manager, data string)) {
				write("first", `{"data":{"foo":"2"}}`)
				apply("second", `{"foo":"2"}`)
			},
			want: map[string][]string{"foo": {"second", "first"}},
		},
		"nobody owns an absent key": {
			writes: func(write func(manager, patch string), _ func(manager, data string)) {
				write("first", `{"data":{"foo":null}}`)
			},
			want: map[string][]string{"foo": nil, "none": nil},
		},
		"nobody is known without managedFields": {
			writes: func(write func(manager, patch string), _ func(manager, data string)) {
				write("first", `{"data":{"foo":"2"}}`)
				write("last", `{"metadata":{"managedFields":[{}]}}`)
			},
			want: map[string][]string{"foo": nil},
		},
		"nobody is known of those that are put together": {
			writes: func(write func(manager, patch string), _ func(manager, data string)) {
				write("first", `{"data":{"foo":"2"}}`)
				for i := range 12 { // the API server keeps ten
					write(fmt.Sprintf("m%02d", i), fmt.Sprintf(`{"data":{"k%02d":"1"}}`, i))
				}
			},
			want: map[string][]string{"foo": nil, "k11": {"m11"}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
			maps := f.cluster.Client().CoreV1().ConfigMaps(f.ref.Namespace)
			patch := func(kind types.PatchType, manager, body string) {
				t.Helper()
				if _, err := maps.Patch(t.Context(), f.ref.Name, kind, []byte(body), metav1.PatchOptions{FieldManager: manager}); err != nil {
					t.Fatal(err)
				}
			}
			test.writes(
				func(manager, body string) { patch(types.MergePatchType, manager, body) },
				func(manager, data string) {
					patch(types.ApplyPatchType, manager, `{"apiVersion":"v1","kind":"ConfigMap","data":`+data+`}`)
				})
			seen := eval.NewSnapshot(f.live(), time.Time{})
			for key, want := range test.want {
				var got []string
				for _, w := range seen.Owners(key) {
					got = append(got, w.Manager)
					if w.Operation == "Update" && w.Time.IsZero() { // an apply that changes nothing has none
						t.Errorf("%s: no time of %v", key, w)
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("owners of %s (-want +got):\n%s", key, diff)
				}
			}
			for _, w := range seen.LastWriters() {
				if w.Manager == ancient {
					t.Errorf("last writers: %v", w)
				}
			}
		})
	}
	if owners := (&eval.Snapshot{}).Owners("foo"); owners != nil {
		t.Errorf("%v own what is not there", owners)
	}
}
