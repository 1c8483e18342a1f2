package cas

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// An operation sends the same requests for each kind.
func TestSecretsCostWhatConfigMapsDo(t *testing.T) {
	const reading, strategic = "GET", "PATCH strategic"
	for name, test := range map[string]struct {
		prepare func(f *fixture)
		do      func(f *fixture, v Version) error
		want    []string
	}{
		"swap": {nil, func(f *fixture, _ Version) error { _, err := f.do(f.swapping("foo", one, two)); return err }, []string{reading, strategic}},
		"create a key": {nil, func(f *fixture, _ Version) error {
			_, err := f.do(f.swapping("new", Entry{}, two))
			return err
		}, []string{reading, strategic}},
		"remove what was seen": {nil, func(f *fixture, v Version) error { _, err := f.do(f.removing("foo", one, v, v)); return err }, []string{reading, strategic}},
		"compared key":         {nil, func(f *fixture, _ Version) error { _, err := f.commit(f.txn(guard("foo", one))); return err }, []string{reading}},
		"three keys": {nil, func(f *fixture, _ Version) error {
			_, err := f.commit(f.txn(KeySwap{Key: "foo", Expect: one, New: two}, KeySwap{Key: "a", New: one}, guard("bar", one)))
			return err
		}, []string{reading, strategic}},
		"conflict": {nil, func(f *fixture, _ Version) error {
			if _, err := f.do(f.swapping("foo", two, one)); VerdictOf(err) != Conflict {
				return err
			}
			return nil
		}, []string{reading}},
		"rehearse": {nil, func(f *fixture, _ Version) error {
			_, err := f.engine.Check(f.Context(), f.swapping("foo", one, two).Txn(), DryRun)
			return err
		}, []string{reading, strategic}},
		"observe":          {nil, func(f *fixture, _ Version) error { _, err := f.engine.Observe(f.Context(), f.ref, "", 0); return err }, []string{"GET"}},
		"create an object": {(*fixture).gone, func(f *fixture, _ Version) error { _, err := f.doCreate(f.creation()); return err }, []string{reading, "POST"}},
		"remove an object": {nil, func(f *fixture, v Version) error { return f.doRemove(v) }, []string{reading, "DELETE"}},
	} {
		t.Run(name, func(t *testing.T) {
			ofEachKind(t, func(of kinded) {
				t, kind := of.T, of.kind
				f := newFixtureOf(t, kind, map[string]string{"foo": "1", "bar": "1"})
				v := f.version()
				if test.prepare != nil {
					test.prepare(f)
				}
				f.want(Applied, test.do(f, v))
				var got []string
				for _, r := range f.proxy.Requests() {
					request := r.Method
					switch {
					case r.Query.Has("watch"):
						request += " watch"
					case strings.Contains(r.ContentType, "strategic"):
						request += " strategic"
					case strings.Contains(r.ContentType, "json-patch"):
						request += " json"
					}
					got = append(got, request)
				}
				if !slices.Equal(got, test.want) {
					t.Errorf("%q, want %q", got, test.want)
				}
			})
		})
	}
}

// secret is the live Secret of a fixture.
func (f *fixture) secret() *corev1.Secret {
	f.Helper()
	s, err := f.cluster.Client().CoreV1().Secrets(f.ref.Namespace).Get(f.Context(), f.ref.Name, metav1.GetOptions{})
	if err != nil {
		f.Fatal(err)
	}
	return s
}

func TestSecretIsMadeWithItsType(t *testing.T) {
	for name, test := range map[string]struct {
		asked string
		want  corev1.SecretType
	}{"none": {"", "Opaque"}, "one of a kind": {"example.com/token", "example.com/token"}} {
		t.Run(name, func(t *testing.T) {
			f := newEmptyFixtureOf(t, Secret)
			n := f.creation()
			n.Type, n.Immutable = test.asked, new(true)
			f.onSends(http.MethodPost)
			result, err := f.doCreate(n)
			f.want(Applied, err)
			live := f.secret()
			if live.Type != test.want || result.After.Type() != string(test.want) || !*live.Immutable || !result.After.Immutable() {
				t.Errorf("type %q, told %q, %v", live.Type, result.After.Type(), live.Immutable)
			}
			if string(live.Data["foo"]) != "1" || string(live.Data["bytes"]) != "\x01" || len(live.Data) != 2 ||
				!maps.Equal(live.Labels, map[string]string{"a": "b"}) || !maps.Equal(live.Annotations, map[string]string{"c": "d"}) {
				t.Errorf("live %v %v %v", live.Data, live.Labels, live.Annotations)
			}
			if result.After.Entry("foo") != Binary([]byte("1")) {
				t.Errorf("told %v", result.After.Entry("foo"))
			}
			var immutable *ImmutableError
			if _, err := f.do(f.swapping("foo", one, two)); !errors.As(err, &immutable) {
				t.Errorf("%v, want that it is immutable", err)
			}
		})
	}
}

// A Secret of a type that asks for keys keeps them: the API server refuses their removal.
func TestKeysOfATLSSecretAreReplacedAndNotRemoved(t *testing.T) {
	f := newEmptyFixtureOf(t, Secret)
	n := f.creation()
	n.Type, n.Entries = string(corev1.SecretTypeTLS), map[string]Entry{"tls.crt": Text("certificate 1"), "tls.key": Text("private key 1")}
	made, err := f.doCreate(n)
	f.want(Applied, err)
	_, err = f.commit(f.txn(KeySwap{Key: "tls.crt", Expect: Text("certificate 1"), New: Text("certificate 2")},
		KeySwap{Key: "tls.key", Expect: Binary([]byte("private key 1")), New: Text("private key 2")}))
	f.want(Applied, err)
	_, err = f.do(f.swapping("tls.key", Text("private key 2"), Entry{}))
	var refused *RefusedError
	if !errors.As(err, &refused) || refused.Code != http.StatusUnprocessableEntity || !strings.Contains(err.Error(), "tls.key") {
		t.Errorf("%v, want a refusal that names the key", err)
	}
	f.wantData(map[string]string{"tls.crt": "certificate 2", "tls.key": "private key 2"})
	f.want(Applied, f.doRemove(made.After.Version()))
}

// One transaction sets, creates, removes and compares keys of a Secret.
func TestTransactionOfASecret(t *testing.T) {
	f := newFixtureOf(t, Secret, map[string]string{"foo": "1", "gone": "1", "other": "busy"})
	_, err := f.commit(f.txn(KeySwap{Key: "foo", Expect: one, New: two}, KeySwap{Key: "new", New: one}, KeySwap{Key: "gone", Expect: one},
		guard("other", Text("busy")), guard("none", Entry{})))
	f.want(Applied, err)
	f.wantData(map[string]string{"foo": "2", "new": "1", "other": "busy"})
	f.set("none", "9")
	_, err = f.commit(f.txn(KeySwap{Key: "foo", Expect: two, New: three}, guard("none", Entry{})))
	f.wantFailed(err, "none")
}

// A Secret compares bytes: text that is the same after NFC is something else there.
func TestSecretIsComparedToTheByte(t *testing.T) {
	f := newFixtureOf(t, Secret, map[string]string{"foo": "cafe\u0301"})
	_, err := f.do(f.swapping("foo", Text("caf\u00e9"), one))
	f.wantReason(ReasonKey, err)
	_, err = f.do(f.swapping("foo", Text("cafe\u0301"), one))
	f.want(Applied, err)
}

func TestSecretOfAMebibyte(t *testing.T) {
	f := newFixtureOf(t, Secret, map[string]string{"foo": "1"})
	large := Binary([]byte(strings.Repeat("\xff", MaxSize-1)))
	_, err := f.do(f.swapping("large", Entry{}, large))
	f.want(Applied, err)
	_, err = f.do(f.swapping("foo", one, Text("12")))
	var tooLarge *TooLargeError
	if !errors.As(err, &tooLarge) {
		t.Errorf("%v, want that there is no room", err)
	}
}

// Numbers are taken from a Secret as from a ConfigMap.
func TestTakeFromASecret(t *testing.T) {
	f := newFixtureOf(t, Secret, map[string]string{"port": "7"})
	for _, want := range []int64{7, 8} {
		got, err := f.engine.Take(t.Context(), Counter{Ref: f.ref, Key: "port", Step: 1, FieldManager: "engine"})
		f.want(Applied, err)
		if got.Number != want {
			t.Errorf("took %d, want %d", got.Number, want)
		}
	}
	f.wantData(map[string]string{"port": "9"})
}

// A ConfigMap and a Secret of one name are two objects.
func TestKindsOfOneName(t *testing.T) {
	f := newFixtureOf(t, Secret, map[string]string{"foo": "1"})
	g := *f
	g.ref.Kind = ConfigMap
	g.create(map[string]string{"foo": "9"})
	v := f.version()
	_, err := f.do(g.swapping("foo", Text("9"), Text("10")))
	f.want(Applied, err)
	_, err = f.do(f.swapping("foo", one, two, v))
	f.want(Applied, err)
	f.wantData(map[string]string{"foo": "2"})
	g.wantData(map[string]string{"foo": "10"})
}
