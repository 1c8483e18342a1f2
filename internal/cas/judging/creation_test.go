package judging_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

// creation is one of an object of each kind, with all that one can have.
func creation(kind judging.Kind) *judging.Creation {
	n := &judging.Creation{
		Ref: judging.Ref{Kind: kind, Namespace: "shop", Name: "made"}, Labels: map[string]string{"app": "shop"}, Annotations: map[string]string{"note": "n"},
		Entries: map[string]judging.Entry{"foo": judging.Text("1"), "raw": judging.Binary([]byte{0, 255})}, Immutable: new(true), FieldManager: "engine",
	}
	return n.Stored()
}

func TestCreationIsSentAsItsKindIsStored(t *testing.T) {
	t.Parallel()
	meta := metav1.ObjectMeta{
		Namespace: "shop", Name: "made", Labels: map[string]string{"app": "shop"}, Annotations: map[string]string{"note": "n"},
	}
	for kind, want := range map[judging.Kind]any{
		judging.ConfigMap: &corev1.ConfigMap{
			ObjectMeta: meta, Data: map[string]string{"foo": "1"}, BinaryData: map[string][]byte{"raw": {0, 255}}, Immutable: new(true),
		},
		judging.Secret: &corev1.Secret{
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
	ofConfigMap := func(change func(*corev1.ConfigMap)) *judging.Observation {
		cm, ok := creation(judging.ConfigMap).Object().(*corev1.ConfigMap)
		if !ok {
			t.Fatal("it is no ConfigMap")
		}
		cm.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "engine", Operation: metav1.ManagedFieldsOperationUpdate}}
		change(cm)
		return judging.Observed(cm, time.Now())
	}
	ofSecret := func(change func(*corev1.Secret)) *judging.Observation {
		s, ok := creation(judging.Secret).Object().(*corev1.Secret)
		if !ok {
			t.Fatal("it is no Secret")
		}
		s.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "engine", Operation: metav1.ManagedFieldsOperationUpdate}}
		change(s)
		return judging.Observed(s, time.Now())
	}
	mutable := func(immutable *bool) *judging.Creation {
		n := creation(judging.ConfigMap)
		n.Immutable = immutable
		return n
	}
	for name, test := range map[string]struct {
		sent *judging.Creation
		live *judging.Observation
		want bool
	}{
		"what was sent":               {creation(judging.ConfigMap), ofConfigMap(func(*corev1.ConfigMap) {}), true},
		"another value":               {creation(judging.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.Data["foo"] = "2" }), false},
		"other bytes":                 {creation(judging.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.BinaryData["raw"] = []byte{1} }), false},
		"a key less":                  {creation(judging.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.BinaryData = nil }), false},
		"a key more":                  {creation(judging.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.Data["bar"] = "1" }), false},
		"another label":               {creation(judging.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.Labels = map[string]string{"app": "x"} }), false},
		"a label less":                {creation(judging.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.Labels = nil }), false},
		"another annotation":          {creation(judging.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.Annotations = map[string]string{"note": "x"} }), false},
		"an annotation less":          {creation(judging.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.Annotations = nil }), false},
		"not immutable":               {creation(judging.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.Immutable = nil }), false},
		"immutable, which was not":    {mutable(nil), ofConfigMap(func(*corev1.ConfigMap) {}), false},
		"immutable, which was not to": {mutable(new(false)), ofConfigMap(func(*corev1.ConfigMap) {}), false},
		"not immutable, nor sent so":  {mutable(nil), ofConfigMap(func(cm *corev1.ConfigMap) { cm.Immutable = new(false) }), true},
		"another wrote":               {creation(judging.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.ManagedFields[0].Manager = "foreign" }), false},
		"another of that name applied": {creation(judging.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) {
			cm.ManagedFields[0].Operation = metav1.ManagedFieldsOperationApply
		}), false},
		"a Secret that was sent":       {creation(judging.Secret), ofSecret(func(*corev1.Secret) {}), true},
		"a Secret of another type":     {creation(judging.Secret), ofSecret(func(s *corev1.Secret) { s.Type = corev1.SecretTypeTLS }), false},
		"a Secret with another value":  {creation(judging.Secret), ofSecret(func(s *corev1.Secret) { s.Data["foo"] = []byte("2") }), false},
		"a label that admission added": {creation(judging.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.Labels["injected"] = "yes" }), false},
		"another wrote as well": {creation(judging.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) {
			cm.ManagedFields = append(cm.ManagedFields, metav1.ManagedFieldsEntry{Manager: "other", Operation: metav1.ManagedFieldsOperationUpdate})
		}), false},
		"another of that name wrote a subresource": {creation(judging.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) {
			cm.ManagedFields[0].Subresource = "status"
		}), false},
		"another name prefix":                  {creation(judging.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.GenerateName = "ma" }), false},
		"what was sent, without managedFields": {creation(judging.ConfigMap), ofConfigMap(func(cm *corev1.ConfigMap) { cm.ManagedFields = nil }), false},
		"an empty object, without managedFields": {
			&judging.Creation{FieldManager: "engine"}, configMapAt(judging.Version{UID: "u", ResourceVersion: "1"}, nil), false,
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
	there := configMapAt(judging.Version{UID: "u", ResourceVersion: "1"}, nil)
	if j := creation(judging.ConfigMap).Judge(&judging.Observation{}); j.Decision != judging.DecideWrite || j.Err != nil {
		t.Errorf("where nothing is there: %+v", j)
	}
	var exists *judging.ExistsError
	if j := creation(judging.ConfigMap).Judge(there); j.Decision != judging.DecideRefuse || !errors.As(j.Err, &exists) || exists.Live != there {
		t.Errorf("where one is there: %+v", j)
	}
	half := judging.Binary(make([]byte, judging.MaxSize/2))
	full := &judging.Creation{Entries: map[string]judging.Entry{"a": half, "b": half}}
	if err := full.TooLarge(); err != nil {
		t.Errorf("as large as it may be: %v", err)
	}
	full.Entries["c"] = judging.Text("1")
	var tooLarge *judging.TooLargeError
	if j := full.Judge(&judging.Observation{}); j.Decision != judging.DecideRefuse || !errors.As(j.Err, &tooLarge) || tooLarge.New != judging.MaxSize+1 {
		t.Errorf("a byte too large: %+v", j)
	}
}

func TestRemovalIsJudgedByItsVersions(t *testing.T) {
	t.Parallel()
	v1, v2 := judging.Version{UID: "u", ResourceVersion: "1"}, judging.Version{UID: "u", ResourceVersion: "2"}
	deleting := func(cm *corev1.ConfigMap) { cm.DeletionTimestamp = new(metav1.Now()) }
	for name, test := range map[string]struct {
		at   []judging.Version
		live *judging.Observation
		want judging.Decision
	}{
		"gone":                     {[]judging.Version{v1}, &judging.Observation{}, judging.DecideDone},
		"being deleted":            {[]judging.Version{v1}, configMapAt(v2, nil, deleting), judging.DecideDone},
		"at its version":           {[]judging.Version{v2}, configMapAt(v2, nil), judging.DecideWrite},
		"of any version":           {nil, configMapAt(v2, nil), judging.DecideWrite},
		"changed":                  {[]judging.Version{v1}, configMapAt(v2, nil), judging.DecideRefuse},
		"changed, by one of two":   {[]judging.Version{v2, v1}, configMapAt(v2, nil), judging.DecideRefuse},
		"of the name of the other": {[]judging.Version{{UID: "x", ResourceVersion: "2"}}, configMapAt(v2, nil), judging.DecideRefuse},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := (&judging.Removal{At: test.at}).Judge(test.live, told{leads: map[judging.Version]bool{v2: true}})
			if j.Decision != test.want {
				t.Fatalf("%+v, want decision %d", j, test.want)
			}
			var conflict *judging.ConflictError
			if j.Decision == judging.DecideRefuse &&
				(!errors.As(j.Err, &conflict) || conflict.Reason != judging.ReasonObject || conflict.Live != test.live || conflict.At != test.at[len(test.at)-1]) {
				t.Errorf("%+v does not tell which version it is not at", j.Err)
			}
		})
	}
}
