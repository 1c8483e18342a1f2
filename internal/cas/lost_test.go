package cas

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// lostScene is a write whose response is lost, and what other writers do in that moment. The object contains
// bar=1, baz=1 and the key foo, which its owner set to 1.
type lostScene struct {
	kind        eval.Kind
	owner       string               // field manager that set foo; "owner" if it is empty
	arrange     func(*fixture)       // before the write
	write       func(*fixture) error // swaps foo from 1 to 2 if it is nil
	isDelivered bool                 // the response of the first request is lost; otherwise the request is lost
	interfere   func(*fixture)       // after the first request was applied, or in the place of the first request
	// within requires that the timestamps of all managers are one second. The scene repeats until they are.
	within bool
	want   eval.Verdict
}

// run plays a scene on one object after the other, until its condition about the time is met.
func (s lostScene) run(f *fixture) {
	f.Helper()
	for n := range 50 {
		own := *f
		own.ref.Name = fmt.Sprintf("shared-%d", n)
		if s.play(&own) || !s.within {
			return
		}
	}
	f.Fatal("the scene never took place within one second")
}

// play plays a scene once and reports whether all timestamps of managedFields are one second. A verdict other
// than unknown is true.
func (s lostScene) play(f *fixture) (isWithin bool) {
	f.Helper()
	f.makeAs("owner", map[string]string{"foo": "0", "bar": "1", "baz": "1"})
	if s.owner == "" {
		s.owner = "owner"
	}
	f.setAs(s.owner, "foo", "1")
	if s.arrange != nil {
		s.arrange(f)
	}
	if s.write == nil {
		s.write = func(f *fixture) error { _, err := f.do(f.swapping("foo", one, f.holding("2"))); return err }
	}
	f.proxy = f.cluster.Proxy(f.T)
	f.engine = f.newEngine(f.proxy.Config)
	f.engine.limits.settle = ample
	before := f.live().ManagedFields
	f.lose(http.MethodPatch, s.isDelivered, func() { s.interfere(f) })
	err := s.write(f)
	f.wantTrue(err)
	if isWithin = f.exists() && isOneSecond(append(before, f.live().ManagedFields...)); isWithin || !s.within {
		f.want(s.want, err)
	}
	return isWithin
}

// lose loses the next request of a method, or its response if it is delivered, and has something happen in that
// moment.
func (f *fixture) lose(method string, isDelivered bool, interfere func()) {
	f.proxy.Reset()
	f.proxy.SetHook(loses(method, isDelivered, interfere))
}

// loses returns the hook that lose sets.
func loses(method string, isDelivered bool, interfere func()) func(*http.Request) testcluster.Fault {
	var once sync.Once
	return func(r *http.Request) (fault testcluster.Fault) {
		if r.Method != method {
			return fault
		}
		once.Do(func() {
			if isDelivered {
				fault = testcluster.Fault{Answered: func(*http.Response) { interfere() }, DropAfter: true}
				return
			}
			interfere()
			fault.DropBefore = true
		})
		return fault
	}
}

// wantTrue compares the verdict of a write with the responses of the API server since lose.
func (f *fixture) wantTrue(err error) {
	f.Helper()
	verdict, applied := eval.VerdictOf(err), f.applied()
	isFalse := verdict == eval.Applied && applied == 0 || (verdict == eval.Conflict || verdict == eval.Rejected) && applied > 0
	if isFalse || applied > 1 {
		f.Errorf("verdict %s, but the API server applied %d requests: %v", verdict, applied, err)
	}
}

// applied returns how many requests, other than reads and dry runs, the API server applied.
func (f *fixture) applied() (n int) {
	for _, r := range f.proxy.Requests() {
		isWrite := r.Method != http.MethodGet && !r.Query.Has("dryRun")
		if isWrite && (r.Status == http.StatusOK || r.Status == http.StatusCreated) {
			n++
		}
	}
	return n
}

// isOneSecond reports whether all timestamps are equal. The entry of an autoscaler has none.
func isOneSecond(entries []metav1.ManagedFieldsEntry) bool {
	for _, m := range entries {
		if m.Time != nil && !m.Time.Equal(entries[0].Time) {
			return false
		}
	}
	return true
}

// setBy returns an interference: a field manager sets a key.
func setBy(manager, key, value string) func(*fixture) {
	return func(f *fixture) { f.setAs(manager, key, value) }
}

// follows returns an interference that consists of others.
func follows[F any](each ...func(F)) func(F) {
	return func(f F) {
		for _, interfere := range each {
			interfere(f)
		}
	}
}

func updates(change func(*corev1.ConfigMap)) func(*fixture) {
	return func(f *fixture) { f.change(change) }
}

// swapping returns a write of several keys from 1.
func swapping(to map[string]eval.Value) func(*fixture) error {
	return func(f *fixture) error {
		txn := f.txn()
		for key, e := range to {
			txn.Keys = append(txn.Keys, eval.KeySwap{Key: key, Expect: one, New: e})
		}
		_, err := f.commit(txn)
		return err
	}
}

// appliesText returns an interference: another writer applies a key by server-side apply.
func appliesText(key, value string) func(*fixture) {
	return func(f *fixture) {
		body := fmt.Appendf(nil, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q},"data":{%q:%q}}`,
			f.ref.Name, key, value)
		_, err := f.cluster.Client().CoreV1().ConfigMaps(f.ref.Namespace).Patch(context.Background(), f.ref.Name,
			types.ApplyPatchType, body,
			metav1.PatchOptions{FieldManager: "applier", Force: new(true)})
		if err != nil {
			f.Error(err)
		}
	}
}

// strips removes all managedFields.
func strips(f *fixture) {
	f.change(func(cm *corev1.ConfigMap) { cm.ManagedFields = []metav1.ManagedFieldsEntry{{}} })
}

// crowds has eleven more managers write, so that the API server merges the oldest entries, with the engine's entry,
// into ancient-changes.
func crowds(f *fixture) {
	for n := range 11 {
		f.setAs(fmt.Sprintf("writer-%02d", n), fmt.Sprintf("key-%d", n), "1")
	}
	for _, m := range f.live().ManagedFields {
		if m.Manager == "engine" {
			f.Error("our entry is not among the oldest")
		}
	}
}

func TestLostWriteOfKeys(t *testing.T) {
	t.Parallel()
	moves := updates(func(cm *corev1.ConfigMap) {
		delete(cm.Data, "foo")
		cm.BinaryData = map[string][]byte{"foo": []byte("2")}
	})
	removes := updates(func(cm *corev1.ConfigMap) { delete(cm.Data, "foo") })
	// holds gives our field manager an entry that is as young as the others.
	holds := setBy("engine", "baz", "2")
	nothing := func(*fixture) {}
	removal := func(f *fixture) error { _, err := f.do(f.swapping("foo", one, eval.Value{})); return err }
	for name, s := range map[string]lostScene{
		"nothing else happens to an applied write": {
			isDelivered: true, interfere: nothing, want: eval.Applied,
		},
		"nothing else happens to an applied write of our own key, within the second": {
			owner: "engine", isDelivered: true, interfere: nothing, within: true, want: eval.Applied,
		},
		"nothing else happens to a lost request": {
			interfere: nothing, want: eval.Applied,
		},

		// The write was applied and undone.
		"its owner undoes an applied write": {
			isDelivered: true, interfere: setBy("owner", "foo", "1"), want: eval.Unknown,
		},
		"its owner undoes an applied write within the second": {
			arrange: holds, isDelivered: true, interfere: setBy("owner", "foo", "1"), within: true, want: eval.Unknown,
		},
		"our own value is restored within the second": {
			owner: "engine", isDelivered: true, interfere: setBy("other", "foo", "1"), within: true, want: eval.Unknown,
		},
		"another value replaces an applied write": {
			isDelivered: true, interfere: setBy("other", "foo", "3"), want: eval.Unknown,
		},
		"the key is removed after an applied write": {
			isDelivered: true, interfere: removes, want: eval.Unknown,
		},

		// The present owner of the key, or another writer, writes the same value.
		"the owner writes the value of a lost request": {
			interfere: setBy("owner", "foo", "2"), want: eval.Unknown,
		},
		"the owner writes the value of a lost request within the second": {
			arrange: holds, interfere: setBy("owner", "foo", "2"), within: true, want: eval.Unknown,
		},
		"another writer writes the value of a lost request, and we own the key": {
			owner: "engine", interfere: setBy("other", "foo", "2"), want: eval.Unknown,
		},
		"another writer writes the value of a lost request within the second, and we own the key": {
			owner: "engine", interfere: setBy("owner", "foo", "2"), within: true, want: eval.Unknown,
		},
		"another writer takes an applied value over": {
			isDelivered: true, interfere: follows(setBy("other", "foo", "3"), setBy("other", "foo", "2")),
			want: eval.Unknown,
		},
		"another writer applies the value of a lost request": {
			interfere: appliesText("foo", "2"), want: eval.Unknown,
		},
		"another writer applies an applied value too": {
			isDelivered: true, interfere: appliesText("foo", "2"), want: eval.Applied,
		},

		// Other keys.
		"another key changes after an applied write": {
			isDelivered: true, interfere: setBy("other", "bar", "2"), want: eval.Applied,
		},
		"another key changes after an applied write of our own key, within the second": {
			owner: "engine", isDelivered: true, interfere: setBy("owner", "bar", "2"), within: true, want: eval.Unknown,
		},
		"another key changes in the place of a lost request": {
			interfere: setBy("other", "bar", "2"), want: eval.Unknown,
		},
		"a finalizer comes after an applied write of our own key, within the second": {
			owner: "engine", isDelivered: true, within: true, want: eval.Unknown,
			interfere: func(f *fixture) {
				f.changeAs("owner", func(cm *corev1.ConfigMap) { cm.Finalizers = []string{"example.com/hold"} })
				f.Cleanup(func() { f.change(func(cm *corev1.ConfigMap) { cm.Finalizers = nil }) })
			},
		},

		// The key moves between the maps.
		"the key moves after an applied write":         {isDelivered: true, interfere: moves, want: eval.Unknown},
		"the key moves in the place of a lost request": {interfere: moves, want: eval.Unknown},
		"the key moves, beside a key that the write removes": {
			write: swapping(map[string]eval.Value{"bar": two, "foo": {}}), isDelivered: true, interfere: moves,
			want: eval.Unknown,
		},
		"a write moves the key": {
			write: swapping(map[string]eval.Value{"foo": eval.Binary([]byte("2"))}), isDelivered: true, interfere: nothing,
			want: eval.Applied,
		},
		"another writer moves the key as a lost request would": {
			write: swapping(map[string]eval.Value{"foo": eval.Binary([]byte("2"))}), interfere: moves, want: eval.Unknown,
		},

		// managedFields do not show the writer.
		"managedFields are stripped after an applied write": {
			isDelivered: true, interfere: strips, want: eval.Unknown,
		},
		"managedFields are stripped, and another writer writes the value of a lost request": {
			owner: "engine", interfere: follows(strips, setBy("other", "foo", "2")), want: eval.Unknown,
		},
		"there are no managedFields, and another writer writes the value of a lost request": {
			arrange: strips, interfere: setBy("other", "foo", "2"), want: eval.Unknown,
		},
		"there are no managedFields, and nothing else happens to an applied write": {
			arrange: strips, isDelivered: true, interfere: nothing, want: eval.Applied,
		},
		"our entry is merged into ancient-changes after an applied write": {
			isDelivered: true, interfere: crowds, want: eval.Unknown,
		},
		"our entry is merged into ancient-changes, and another writer writes the value of a lost request": {
			owner: "engine", interfere: follows(setBy("other", "foo", "2"), crowds), want: eval.Unknown,
		},
		"other entries are merged into ancient-changes with an applied write": {
			arrange: func(f *fixture) {
				for n := range 9 {
					f.setAs(fmt.Sprintf("a-writer-%02d", n), fmt.Sprintf("key-%d", n), "1")
				}
			},
			isDelivered: true, interfere: nothing, want: eval.Applied,
		},
		// The other writer replaces the object by a copy that it made before, with the managedFields of that time.
		"an old copy that contains the value of a lost request is stored": {
			arrange: setBy("engine", "baz", "2"),
			interfere: func(f *fixture) {
				f.change(func(cm *corev1.ConfigMap) {
					cm.ResourceVersion, cm.Data["foo"] = "", "2"
					for i := range cm.ManagedFields { // yesterday
						cm.ManagedFields[i].Time.Time = cm.ManagedFields[i].Time.AddDate(0, 0, -1)
					}
				})
			},
			want: eval.Unknown,
		},

		// Deleted.
		"the object is deleted after an applied write": {
			isDelivered: true, interfere: (*fixture).gone, want: eval.Unknown,
		},
		"the object is recreated with the content of a lost request, under our field manager": {
			interfere: follows((*fixture).gone, func(f *fixture) {
				f.make(map[string]string{"foo": "2", "bar": "1", "baz": "1"})
			}),
			want: eval.Unknown,
		},
		"the object is recreated with the content of an applied write, under our field manager": {
			isDelivered: true,
			interfere: follows((*fixture).gone, func(f *fixture) {
				f.make(map[string]string{"foo": "2", "bar": "1", "baz": "1"})
			}),
			want: eval.Unknown,
		},

		// stringData.
		"another writer applies the value of a lost request as stringData": {
			kind: eval.Secret, owner: "engine", interfere: func(f *fixture) { f.applies("foo", "2") }, want: eval.Unknown,
		},
		"another writer applies the value of a lost request as stringData again, within the second": {
			kind: eval.Secret, within: true, want: eval.Unknown,
			arrange:   follows(func(f *fixture) { f.applies("foo", "3") }, setBy("engine", "foo", "1")),
			interfere: func(f *fixture) { f.applies("foo", "2") },
		},
		"another writer applies an applied value as stringData": {
			kind: eval.Secret, isDelivered: true, interfere: func(f *fixture) { f.applies("foo", "2") }, want: eval.Applied,
		},

		// Removals.
		"a removal is applied": {write: removal, isDelivered: true, interfere: nothing, want: eval.Unknown},
		"another writer removes the key in the place of a removal": {
			write: removal, interfere: removes, want: eval.Unknown,
		},
		"nothing else happens to a removal whose request was lost": {
			write: removal, interfere: nothing, want: eval.Applied,
		},
		"a removal beside a set": {
			write: swapping(map[string]eval.Value{"bar": two, "foo": {}}), isDelivered: true, interfere: nothing,
			want: eval.Applied,
		},
		"another writer does a removal and a set of a lost request": {
			write:     swapping(map[string]eval.Value{"bar": two, "foo": {}}),
			interfere: follows(setBy("other", "bar", "2"), removes), want: eval.Unknown,
		},
		"another writer sets the key that a removal beside a set hit": {
			write: swapping(map[string]eval.Value{"bar": two, "foo": {}}), isDelivered: true,
			interfere: setBy("other", "foo", "1"), want: eval.Unknown,
		},

		// Two keys.
		"one of two keys is overwritten": {
			write: swapping(map[string]eval.Value{"foo": two, "bar": two}), isDelivered: true,
			interfere: setBy("other", "bar", "3"), want: eval.Unknown,
		},
		"another writer writes both values of a lost request": {
			write:     swapping(map[string]eval.Value{"foo": two, "bar": two}),
			interfere: follows(setBy("other", "bar", "2"), setBy("owner", "foo", "2")), want: eval.Unknown,
		},
	} {
		t.Run(name, func(t *testing.T) { s.run(newFixtureOf(t, s.kind, nil)) })
	}
}

// A policy changes an object after the API server computed managedFields.
func TestLostWriteThatAPolicyChanges(t *testing.T) {
	t.Parallel()
	sevens := func(f *fixture) error { _, err := f.do(f.swapping("foo", one, eval.Text("7"))); return err }
	trigger := setBy("other", "trigger", "yes")
	both := func(f *fixture) error {
		_, err := f.commit(f.txn(eval.KeySwap{Key: "foo", Expect: one, New: two},
			eval.KeySwap{Key: "trigger", New: eval.Text("yes")}))
		return err
	}
	other := func(f *fixture) error {
		_, err := f.do(f.swapping("trigger", eval.Value{}, eval.Text("yes")))
		return err
	}
	for name, s := range map[string]lostScene{
		"the policy changes our key": {
			write: both, isDelivered: true, interfere: func(*fixture) {}, want: eval.Unknown,
		},
		"the policy changes another key along with ours": {
			write: other, isDelivered: true, interfere: func(*fixture) {}, want: eval.Applied,
		},
		"the policy writes our value along with another's write": {write: sevens, interfere: trigger, want: eval.Unknown},
		"the policy writes our value to our own key along with another's write": {
			owner: "engine", write: sevens, interfere: trigger, want: eval.Unknown,
		},
		"the policy writes our value to our own key along with another's write, within the second": {
			owner: "engine", write: sevens, interfere: setBy("owner", "trigger", "yes"), within: true, want: eval.Unknown,
		},
		"the policy undoes our write along with another's": {isDelivered: true, interfere: trigger, want: eval.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, nil)
			f.mutates() // foo becomes 7 in every write of an object with the key trigger
			s.run(f)
		})
	}
}
