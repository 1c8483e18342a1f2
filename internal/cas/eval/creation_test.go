package eval_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// creation is one of an object of each kind, with all that one can have.
func creation(kind eval.Kind) *eval.Creation {
	n := &eval.Creation{
		Ref: eval.Ref{Kind: kind, Namespace: "shop", Name: "made"}, Labels: map[string]string{"app": "shop"}, Annotations: map[string]string{"note": "n"},
		Entries: map[string]eval.Value{"foo": eval.Text("1"), "raw": eval.Binary([]byte{0, 255})}, Immutable: new(true), FieldManager: "engine",
	}
	return n.Stored()
}

func TestCreationIsSentAsItsKindIsStored(t *testing.T) {
	t.Parallel()
	meta := metav1.ObjectMeta{
		Namespace: "shop", Name: "made", Labels: map[string]string{"app": "shop"}, Annotations: map[string]string{"note": "n"},
	}
	for kind, want := range map[eval.Kind]any{
		eval.ConfigMap: &corev1.ConfigMap{
			ObjectMeta: meta, Data: map[string]string{"foo": "1"}, BinaryData: map[string][]byte{"raw": {0, 255}}, Immutable: new(true),
		},
		eval.Secret: &corev1.Secret{
			ObjectMeta: meta, Data: map[string][]byte{"foo": []byte("1"), "raw": {0, 255}}, Immutable: new(true), Type: "Opaque",
		},
	} {
		t.Run(kind.String(), func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(want, any(creation(kind).Object())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Given a creation whose response was lost; when a read finds an object of its name; then the creation counts as
// applied if two conditions are met. The object has the content that was sent. managedFields have at least one
// entry, and all entries have the field manager of the creation.
func TestCreatedIsWhatWasSentAndNobodyElseWrote(t *testing.T) {
	t.Parallel()
	ofConfigMap := func(change func(*corev1.ConfigMap)) *eval.Snapshot {
		cm, ok := creation(eval.ConfigMap).Object().(*corev1.ConfigMap)
		if !ok {
			t.Fatal("it is no ConfigMap")
		}
		cm.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "engine", Operation: metav1.ManagedFieldsOperationUpdate}}
		change(cm)
		return eval.NewSnapshot(cm, time.Now())
	}
	ofSecret := func(change func(*corev1.Secret)) *eval.Snapshot {
		s, ok := creation(eval.Secret).Object().(*corev1.Secret)
		if !ok {
			t.Fatal("it is no Secret")
		}
		s.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "engine", Operation: metav1.ManagedFieldsOperationUpdate}}
		change(s)
		return eval.NewSnapshot(s, time.Now())
	}
	mutable := func(immutable *bool) *eval.Creation {
		n := creation(eval.ConfigMap)
		n.Immutable = immutable
		return n
	}
	for name, test := range map[string]struct {
		sent *eval.Creation
		live *eval.Snapshot
		want bool
	}{
		"what was sent":               {creation(eval.ConfigMap), ofConfigMap(func(*corev1.ConfigMap) {}), true},
		"another value":               {creation(eval.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.Data["foo"] = "2" }), false},
		"other bytes":                 {creation(eval.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.BinaryData["raw"] = []byte{1} }), false},
		"a key less":                  {creation(eval.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.BinaryData = nil }), false},
		"a key more":                  {creation(eval.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.Data["bar"] = "1" }), false},
		"another label":               {creation(eval.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.Labels = map[string]string{"app": "x"} }), false},
		"a label less":                {creation(eval.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.Labels = nil }), false},
		"another annotation":          {creation(eval.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.Annotations = map[string]string{"note": "x"} }), false},
		"an annotation less":          {creation(eval.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.Annotations = nil }), false},
		"not immutable":               {creation(eval.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.Immutable = nil }), false},
		"immutable, which was not":    {mutable(nil), ofConfigMap(func(*corev1.ConfigMap) {}), false},
		"immutable, which was not to": {mutable(new(false)), ofConfigMap(func(*corev1.ConfigMap) {}), false},
		"not immutable, nor sent so":  {mutable(nil), ofConfigMap(func(cm *corev1.ConfigMap) { cm.Immutable = new(false) }), true},
		"another wrote":               {creation(eval.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.ManagedFields[0].Manager = "foreign" }), false},
		"another of that name applied": {creation(eval.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) {
			cm.ManagedFields[0].Operation = metav1.ManagedFieldsOperationApply
		}), false},
		"a Secret that was sent":       {creation(eval.Secret), ofSecret(func(*corev1.Secret) {}), true},
		"a Secret of another type":     {creation(eval.Secret), ofSecret(func(s *corev1.Secret) { s.Type = corev1.SecretTypeTLS }), false},
		"a Secret with another value":  {creation(eval.Secret), ofSecret(func(s *corev1.Secret) { s.Data["foo"] = []byte("2") }), false},
		"a label that admission added": {creation(eval.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.Labels["injected"] = "yes" }), false},
		"another wrote as well": {creation(eval.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) {
			cm.ManagedFields = append(cm.ManagedFields, metav1.ManagedFieldsEntry{Manager: "other", Operation: metav1.ManagedFieldsOperationUpdate})
		}), false},
		"another of that name wrote a subresource": {creation(eval.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) {
			cm.ManagedFields[0].Subresource = "status"
		}), false},
		"another name prefix":                  {creation(eval.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.GenerateName = "ma" }), false},
		"what was sent, without managedFields": {creation(eval.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.ManagedFields = nil }), false},
		"an empty object, without managedFields": {
			&eval.Creation{FieldManager: "engine"}, configMapAt(eval.Version{UID: "u", ResourceVersion: "1"}, nil), false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.sent.IsCreated(test.live); got != test.want {
				t.Errorf("created is %t, want %t", got, test.want)
			}
		})
	}
}

func TestCreationIsJudgedByWhatIsThere(t *testing.T) {
	t.Parallel()
	there := configMapAt(eval.Version{UID: "u", ResourceVersion: "1"}, nil)
	if j := creation(eval.ConfigMap).Evaluate(&eval.Snapshot{}); j.Action != eval.Write || j.Err != nil {
		t.Errorf("where nothing is there: %+v", j)
	}
	var exists *eval.ExistsError
	if j := creation(eval.ConfigMap).Evaluate(there); j.Action != eval.Refuse || !errors.As(j.Err, &exists) || exists.Live != there {
		t.Errorf("where one is there: %+v", j)
	}
	half := eval.Binary(make([]byte, eval.MaxSize/2))
	full := &eval.Creation{Entries: map[string]eval.Value{"a": half, "b": half}}
	if err := full.TooLarge(); err != nil {
		t.Errorf("as large as it may be: %v", err)
	}
	full.Entries["c"] = eval.Text("1")
	var tooLarge *eval.TooLargeError
	if j := full.Evaluate(&eval.Snapshot{}); j.Action != eval.Refuse || !errors.As(j.Err, &tooLarge) || tooLarge.New != eval.MaxSize+1 {
		t.Errorf("a byte too large: %+v", j)
	}
}

func TestRemovalIsJudgedByItsVersions(t *testing.T) {
	t.Parallel()
	v1, v2 := eval.Version{UID: "u", ResourceVersion: "1"}, eval.Version{UID: "u", ResourceVersion: "2"}
	deleting := func(cm *corev1.ConfigMap) { cm.DeletionTimestamp = new(metav1.Now()) }
	for name, test := range map[string]struct {
		at   []eval.Version
		live *eval.Snapshot
		want eval.Action
	}{
		"gone":                     {[]eval.Version{v1}, &eval.Snapshot{}, eval.NoOp},
		"being deleted":            {[]eval.Version{v1}, configMapAt(v2, nil, deleting), eval.NoOp},
		"at its version":           {[]eval.Version{v2}, configMapAt(v2, nil), eval.Write},
		"of any version":           {nil, configMapAt(v2, nil), eval.Write},
		"changed":                  {[]eval.Version{v1}, configMapAt(v2, nil), eval.Refuse},
		"changed, by one of two":   {[]eval.Version{v2, v1}, configMapAt(v2, nil), eval.Refuse},
		"of the name of the other": {[]eval.Version{{UID: "x", ResourceVersion: "2"}}, configMapAt(v2, nil), eval.Refuse},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := (&eval.Removal{RequireVersions: test.at}).Evaluate(test.live, fixedHistory{leads: map[eval.Version]bool{v2: true}})
			if j.Action != test.want {
				t.Fatalf("%+v, want decision %d", j, test.want)
			}
			var conflict *eval.ConflictError
			if j.Action == eval.Refuse &&
				(!errors.As(j.Err, &conflict) || conflict.Reason != eval.ReasonObject || conflict.Live != test.live || conflict.At != test.at[len(test.at)-1]) {
				t.Errorf("%+v does not tell which version it is not at", j.Err)
			}
		})
	}
}
