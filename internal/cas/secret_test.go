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

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// An operation sends the same requests for each kind.
func TestSecretsCostWhatConfigMapsDo(t *testing.T) {
	const reading, strategic = "GET", "PATCH strategic"
	for name, test := range map[string]struct {
		prepare func(f *fixture)
		do      func(f *fixture, v eval.Version) error
		want    []string
	}{
		"swap": {nil, func(f *fixture, _ eval.Version) error { _, err := f.do(f.swapping("foo", one, two)); return err }, []string{reading, strategic}},
		"create a key": {nil, func(f *fixture, _ eval.Version) error {
			_, err := f.do(f.swapping("new", eval.Value{}, two))
			return err
		}, []string{reading, strategic}},
		"remove what was seen": {nil, func(f *fixture, v eval.Version) error { _, err := f.do(f.removing("foo", one, v, v)); return err }, []string{reading, strategic}},
		"compared key":         {nil, func(f *fixture, _ eval.Version) error { _, err := f.commit(f.txn(guard("foo", one))); return err }, []string{reading}},
		"three keys": {nil, func(f *fixture, _ eval.Version) error {
			_, err := f.commit(f.txn(eval.KeySwap{Key: "foo", Expect: one, New: two}, eval.KeySwap{Key: "a", New: one}, guard("bar", one)))
			return err
		}, []string{reading, strategic}},
		"conflict": {nil, func(f *fixture, _ eval.Version) error {
			if _, err := f.do(f.swapping("foo", two, one)); eval.VerdictOf(err) != eval.Conflict {
				return err
			}
			return nil
		}, []string{reading}},
		"rehearse": {nil, func(f *fixture, _ eval.Version) error {
			_, err := f.engine.Check(f.Context(), f.swapping("foo", one, two).Txn(), DryRun)
			return err
		}, []string{reading, strategic}},
		"observe": {nil, func(f *fixture, _ eval.Version) error {
			_, err := f.engine.Observe(f.Context(), f.ref, "", 0)
			return err
		}, []string{"GET"}},
		"create an object": {(*fixture).gone, func(f *fixture, _ eval.Version) error { _, err := f.doCreate(f.creation()); return err }, []string{reading, "POST"}},
		"remove an object": {nil, func(f *fixture, v eval.Version) error { return f.doRemove(v) }, []string{reading, "DELETE"}},
	} {
		t.Run(name, func(t *testing.T) {
			ofEachKind(t, func(of kinded) {
				t, kind := of.T, of.kind
				f := newFixtureOf(t, kind, map[string]string{"foo": "1", "bar": "1"})
				v := f.version()
				if test.prepare != nil {
					test.prepare(f)
				}
				f.want(eval.Applied, test.do(f, v))
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
			f := newEmptyFixtureOf(t, eval.Secret)
			n := f.creation()
			n.Type, n.Immutable = test.asked, new(true)
			f.onSends(http.MethodPost)
			result, err := f.doCreate(n)
			f.want(eval.Applied, err)
			live := f.secret()
			if live.Type != test.want || result.After.Type() != string(test.want) || !*live.Immutable || !result.After.Immutable() {
				t.Errorf("type %q, told %q, %v", live.Type, result.After.Type(), live.Immutable)
			}
			if string(live.Data["foo"]) != "1" || string(live.Data["bytes"]) != "\x01" || len(live.Data) != 2 ||
				!maps.Equal(live.Labels, map[string]string{"a": "b"}) || !maps.Equal(live.Annotations, map[string]string{"c": "d"}) {
				t.Errorf("live %v %v %v", live.Data, live.Labels, live.Annotations)
			}
			if result.After.Value("foo") != eval.Binary([]byte("1")) {
				t.Errorf("told %v", result.After.Value("foo"))
			}
			var immutable *eval.ImmutableError
			if _, err := f.do(f.swapping("foo", one, two)); !errors.As(err, &immutable) {
				t.Errorf("%v, want that it is immutable", err)
			}
		})
	}
}

// A Secret of a type that asks for keys keeps them: the API server refuses their removal.
func TestKeysOfATLSSecretAreReplacedAndNotRemoved(t *testing.T) {
	f := newEmptyFixtureOf(t, eval.Secret)
	n := f.creation()
	n.Type, n.Entries = string(corev1.SecretTypeTLS), map[string]eval.Value{"tls.crt": eval.Text("certificate 1"), "tls.key": eval.Text("private key 1")}
	made, err := f.doCreate(n)
	f.want(eval.Applied, err)
	_, err = f.commit(f.txn(eval.KeySwap{Key: "tls.crt", Expect: eval.Text("certificate 1"), New: eval.Text("certificate 2")},
		eval.KeySwap{Key: "tls.key", Expect: eval.Binary([]byte("private key 1")), New: eval.Text("private key 2")}))
	f.want(eval.Applied, err)
	_, err = f.do(f.swapping("tls.key", eval.Text("private key 2"), eval.Value{}))
	var refused *eval.RefusedError
	if !errors.As(err, &refused) || refused.Code != http.StatusUnprocessableEntity {
		t.Errorf("%v, want a refusal", err)
	}
	f.wantData(map[string]string{"tls.crt": "certificate 2", "tls.key": "private key 2"})
	f.want(eval.Applied, f.doRemove(made.After.Version()))
}

// One transaction sets, creates, removes and compares keys of a Secret.
func TestTransactionOfASecret(t *testing.T) {
	f := newFixtureOf(t, eval.Secret, map[string]string{"foo": "1", "gone": "1", "other": "busy"})
	_, err := f.commit(f.txn(eval.KeySwap{Key: "foo", Expect: one, New: two}, eval.KeySwap{Key: "new", New: one}, eval.KeySwap{Key: "gone", Expect: one},
		guard("other", eval.Text("busy")), guard("none", eval.Value{})))
	f.want(eval.Applied, err)
	f.wantData(map[string]string{"foo": "2", "new": "1", "other": "busy"})
	f.set("none", "9")
	_, err = f.commit(f.txn(eval.KeySwap{Key: "foo", Expect: two, New: three}, guard("none", eval.Value{})))
	f.wantFailed(err, "none")
}

// A Secret compares bytes: text that is the same after NFC is something else there.
func TestSecretIsComparedToTheByte(t *testing.T) {
	f := newFixtureOf(t, eval.Secret, map[string]string{"foo": "cafe\u0301"})
	_, err := f.do(f.swapping("foo", eval.Text("caf\u00e9"), one))
	f.wantReason(eval.ReasonKey, err)
	_, err = f.do(f.swapping("foo", eval.Text("cafe\u0301"), one))
	f.want(eval.Applied, err)
}

func TestSecretOfAMebibyte(t *testing.T) {
	f := newFixtureOf(t, eval.Secret, map[string]string{"foo": "1"})
	large := eval.Binary([]byte(strings.Repeat("\xff", eval.MaxSize-1)))
	_, err := f.do(f.swapping("large", eval.Value{}, large))
	f.want(eval.Applied, err)
	_, err = f.do(f.swapping("foo", one, eval.Text("12")))
	var tooLarge *eval.TooLargeError
	if !errors.As(err, &tooLarge) {
		t.Errorf("%v, want that there is no room", err)
	}
}

// Numbers are taken from a Secret as from a ConfigMap.
func TestTakeFromASecret(t *testing.T) {
	f := newFixtureOf(t, eval.Secret, map[string]string{"port": "7"})
	for _, want := range []int64{7, 8} {
		got, err := f.engine.Take(t.Context(), Counter{Ref: f.ref, Key: "port", Step: 1, FieldManager: "engine"})
		f.want(eval.Applied, err)
		if got.Number != want {
			t.Errorf("took %d, want %d", got.Number, want)
		}
	}
	f.wantData(map[string]string{"port": "9"})
}

// A ConfigMap and a Secret of one name are two objects.
func TestKindsOfOneName(t *testing.T) {
	f := newFixtureOf(t, eval.Secret, map[string]string{"foo": "1"})
	g := *f
	g.ref.Kind = eval.ConfigMap
	g.create(map[string]string{"foo": "9"})
	v := f.version()
	_, err := f.do(g.swapping("foo", eval.Text("9"), eval.Text("10")))
	f.want(eval.Applied, err)
	_, err = f.do(f.swapping("foo", one, two, v))
	f.want(eval.Applied, err)
	f.wantData(map[string]string{"foo": "2"})
	g.wantData(map[string]string{"foo": "10"})
}
