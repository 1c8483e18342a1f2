package cas

import (
	"context"
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// In these tests a request of the engine never arrives, and another writer makes, removes or writes the same in its
// place. The engine does not claim the result.

// makeAs creates the object as a field manager.
func (f *fixture) makeAs(manager string, data map[string]string) {
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: f.ref.Name}, Data: data}
	if _, err := f.objects().Create(context.Background(), cm, metav1.CreateOptions{FieldManager: manager}); err != nil {
		f.Error(err)
	}
}

// Given a creation that is checked and then requested; when the response is lost, and another writer created an
// object of the same content; then the creation does not count as applied. Its removal would delete the other
// object.
func TestCreationClaimsNothingThatAnotherMade(t *testing.T) {
	t.Parallel()
	filled := map[string]string{"foo": "1"}
	for name, test := range map[string]struct {
		by     string
		data   map[string]string
		before bool // the call
		want   eval.Verdict
	}{
		"an empty one, in its place":                        {"kubectl-create", nil, false, eval.Unknown},
		"an empty one, before the call":                     {"kubectl-create", nil, true, eval.Conflict},
		"one with a key, in its place":                      {"kubectl-create", filled, false, eval.Unknown},
		"one with a key, before the call":                   {"kubectl-create", filled, true, eval.Conflict},
		"one with a key, by a twin's name, before the call": {"engine", filled, true, eval.Conflict},
	} {
		t.Run(name, func(t *testing.T) {
			f := newEmptyFixture(t)
			n := &eval.Creation{Ref: f.ref, FieldManager: "engine"}
			if test.data != nil {
				n.Entries = map[string]eval.Value{"foo": one}
			}
			if _, err := f.engine.CheckCreate(t.Context(), n, ReadOnly); err != nil {
				t.Fatal(err)
			}
			if test.before {
				f.makeAs(test.by, test.data)
			}
			f.onSends(http.MethodPost, func() testcluster.Fault {
				if !test.before {
					f.makeAs(test.by, test.data)
					return testcluster.Fault{DropBefore: true}
				}
				return testcluster.Fault{DropAfter: true}
			})
			_, err := f.doCreate(n)
			f.want(test.want, err)
		})
	}
}

// Given an empty object, for which managedFields have no entry; when its creation is applied and the response
// is lost; then the verdict is unknown.
func TestCreationOfAnEmptyObjectIsUnknownAfterALostAnswer(t *testing.T) {
	f := newEmptyFixture(t)
	f.onSends(http.MethodPost, plain(testcluster.Fault{DropAfter: true}))
	_, err := f.doCreate(&eval.Creation{Ref: f.ref, FieldManager: "engine"})
	f.want(eval.Unknown, err)
}

// Given a removal of a key that never arrives; when another client removes the key in its place; then the verdict
// is unknown, and a swap of another key that requires the version from before is refused.
func TestRemovalByAnotherIsNotClaimed(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
	v := f.version()
	f.onSends(http.MethodPatch, func() testcluster.Fault {
		f.changeAs("kubectl-edit", func(cm *corev1.ConfigMap) { delete(cm.Data, "foo") })
		return testcluster.Fault{DropBefore: true}
	})
	_, err := f.do(f.swapping("foo", one, eval.Value{}, v))
	f.want(eval.Unknown, err)
	_, err = f.do(f.swapping("bar", one, two, v))
	f.wantReason(eval.ReasonObject, err)
	f.wantData(map[string]string{"bar": "1"})
}

// Given an object whose managedFields have no entry; when a write never arrives, and another client writes
// the same value in its place; then the verdict is unknown.
func TestSameWriteByAnotherIsNotClaimedWhereNobodyIsTold(t *testing.T) {
	f := newFixture(t, nil)
	f.set("foo", "1")
	if len(f.live().ManagedFields) > 0 {
		t.Fatal("there are managedFields")
	}
	s := f.swapping("foo", one, two)
	f.onSends(http.MethodPatch, func() testcluster.Fault {
		f.setAs("kubectl-patch", "foo", "2")
		return testcluster.Fault{DropBefore: true}
	})
	_, err := f.do(s)
	f.want(eval.Unknown, err)
}

// The request of a deletion is lost, and another client deletes the object and creates one of the same name. The
// object that the deletion names is missing, and the new object stays.
func TestDeletionOfWhatAnotherMadeAnew(t *testing.T) {
	for name, changes := range map[string]bool{"changed before": true, "unchanged": false} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			v := f.version()
			f.onSends(http.MethodDelete, func() testcluster.Fault {
				if changes {
					f.set("foo", "precious")
				}
				f.gone()
				f.make(map[string]string{"foo": "new"})
				return testcluster.Fault{DropBefore: true}
			})
			f.want(eval.Applied, f.doRemove(v))
			f.wantData(map[string]string{"foo": "new"})
		})
	}
}

// Given a creation that never arrives; when another writer creates the same object in its place, by
// server-side apply under the same field manager; then the verdict is unknown, because a creation is no
// apply.
func TestCreationDoesNotClaimWhatAnApplyOfItsNameMade(t *testing.T) {
	f := newEmptyFixture(t)
	f.onSends(http.MethodPost, func() testcluster.Fault {
		_, err := f.cluster.Client().CoreV1().ConfigMaps(f.ref.Namespace).Patch(context.Background(), f.ref.Name, types.ApplyPatchType,
			[]byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"`+f.ref.Name+`"},"data":{"foo":"1"}}`),
			metav1.PatchOptions{FieldManager: "engine"})
		if err != nil {
			t.Error(err)
		}
		return testcluster.Fault{DropBefore: true}
	})
	_, err := f.doCreate(&eval.Creation{Ref: f.ref, FieldManager: "engine", Entries: map[string]eval.Value{"foo": one}})
	f.want(eval.Unknown, err)
}
