package cas

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

const users = "# who may what\n- name: ann\n  role: admin # since May\n- name: bob\n  role: dev\n"

// inUsers is a transaction on one item of the document in the key users.
func (f *fixture) inUsers(path string, expect, to eval.Value) *eval.Txn {
	f.Helper()
	key, err := eval.DocumentKey(eval.Holder{Key: "users", Format: "yaml"}, path)
	if err != nil {
		f.Fatal(err)
	}
	return &eval.Txn{
		Ref: f.ref, FieldManager: "engine", Keys: []eval.KeySwap{{Key: key, Expect: expect, New: to, IfEqual: eval.Reject}},
	}
}

// user is an element of the document.
func (f *fixture) user(name, role string) eval.Value {
	f.Helper()
	v, err := eval.JSON(fmt.Appendf(nil, `{"name":%q,"role":%q}`, name, role))
	if err != nil {
		f.Fatal(err)
	}
	return v
}

// commitAll commits transactions in one batch.
func (f *fixture) commitAll(all ...*eval.Txn) []error {
	f.Helper()
	var calls []func() error
	for _, txn := range all {
		calls = append(calls, f.committing(txn))
	}
	return f.inOneBatch(calls...)
}

func TestItemsOfOneDocumentShareARequest(t *testing.T) {
	f := newFixture(t, map[string]string{"users": users})
	var all []*eval.Txn
	want := users
	for i := range 50 {
		name := fmt.Sprintf("user-%02d", i)
		all = append(all, f.inUsers("[name="+name+"]", eval.Value{}, f.user(name, "dev")))
	}
	f.proxy.Reset()
	for i, err := range f.commitAll(all...) {
		if err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	f.wantRequests("GET PATCH")
	live := f.live().Data["users"]
	if !strings.HasPrefix(live, want) || strings.Count(live, "role: dev") != 51 {
		t.Errorf("%s", live)
	}
	f.engine = f.newEngine(f.proxy.Config)
	for i := range 50 {
		name := fmt.Sprintf("user-%02d", i)
		all[i] = f.inUsers("[name="+name+"]", f.user(name, "dev"), eval.Value{})
		all[i].IgnoreMissing = true
	}
	for i, err := range f.commitAll(all...) {
		if err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	f.wantData(map[string]string{"users": users})
}

// An invalid document, and an item that cannot be written, fail only the transactions on them.
func TestDocumentThatCannotBeChanged(t *testing.T) {
	f := newFixture(t, map[string]string{"users": "a: &a [1]\nb: *a\n", "foo": "{\n"})
	broken, err := eval.DocumentKey(eval.Holder{Key: "foo", Format: "json"}, "a")
	if err != nil {
		t.Fatal(err)
	}
	errs := f.commitAll(
		f.inUsers("c", eval.Value{}, one),
		f.inUsers("a[=2]", eval.Value{}, two),
		&eval.Txn{Ref: f.ref, FieldManager: "engine", Keys: []eval.KeySwap{{Key: broken, New: one}}},
		&eval.Txn{Ref: f.ref, FieldManager: "engine", Keys: []eval.KeySwap{{Key: "bar", New: one}}},
	)
	var anchored, invalid *eval.DocumentError
	if errs[0] != nil || errs[3] != nil {
		t.Errorf("%v", errs)
	}
	if !errors.As(errs[1], &anchored) || anchored.Line != 1 || anchored.Key != "users" {
		t.Errorf("%v", errs[1])
	}
	if !errors.As(errs[2], &invalid) || invalid.Line != 1 || invalid.Key != "foo" {
		t.Errorf("%v", errs[2])
	}
	f.wantData(map[string]string{"users": "a: &a [1]\nb: *a\nc: \"1\"\n", "foo": "{\n", "bar": "1"})
}

// Two transactions that exclude each other on a missing key: the first is applied.
func TestItemsThatExcludeEachOther(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	errs := f.commitAll(f.inUsers("[=1]", eval.Value{}, one), f.inUsers("a", eval.Value{}, one), f.inUsers("[=2]", eval.Value{}, two))
	var failed *eval.FieldError
	if errs[0] != nil || errs[2] != nil || !errors.As(errs[1], &failed) {
		t.Errorf("%v", errs)
	}
	f.wantData(map[string]string{"foo": "1", "users": "- \"1\"\n- \"2\"\n"})
}

func TestTwoWritersOfOneItem(t *testing.T) {
	f := newFixture(t, map[string]string{"users": users})
	other := f.newEngine(f.cluster.Proxy(t).Config)
	for round := range 10 {
		from := []string{"admin", "dev"}[round%2]
		to := []string{"dev", "admin"}[round%2]
		results := make(chan error, 2)
		for _, e := range []*Engine{f.engine, other} {
			go func() {
				_, err := e.Commit(f.Context(), f.inUsers("[name=ann].role", eval.Text(from), eval.Text(to)))
				results <- err
			}()
		}
		first, second := <-results, <-results
		if (first == nil) == (second == nil) {
			t.Fatalf("round %d: %v, %v", round, first, second)
		}
		var conflict *eval.ConflictError
		if !errors.As(errors.Join(first, second), &conflict) {
			t.Fatalf("round %d: %v, %v", round, first, second)
		}
		if _, path, isDocument := eval.DocumentPath(conflict.Keys[0].Key); !isDocument || path != "[name=ann].role" {
			t.Errorf("the conflict names %q", conflict.Keys[0].Key)
		}
	}
	f.wantData(map[string]string{"users": users})
}

func TestOtherItemIsWrittenInBetween(t *testing.T) {
	f := newFixture(t, map[string]string{"users": users})
	f.beforePatch(func() { f.set("users", strings.Replace(users, "bob", "bert # renamed", 1)) })
	if _, err := f.engine.Commit(t.Context(), f.inUsers("[name=ann].role", eval.Text("admin"), eval.Text("ops"))); err != nil {
		t.Fatal(err)
	}
	f.wantData(map[string]string{"users": strings.NewReplacer("bob", "bert # renamed", "role: admin", "role: ops").Replace(users)})
}

func TestTextAndItemsDoNotShareARequest(t *testing.T) {
	changed := strings.Replace(users, "role: admin", "role: ops", 1)
	for name, test := range map[string]struct {
		isReversed bool
		want       string
	}{"text first": {false, "[]"}, "item first": {true, changed}} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"users": users})
			all := []*eval.Txn{
				{Ref: f.ref, FieldManager: "engine", Keys: []eval.KeySwap{{Key: "users", Expect: eval.Text(users), New: eval.Text("[]")}}},
				f.inUsers("[name=ann].role", eval.Text("admin"), eval.Text("ops")),
			}
			if test.isReversed {
				slices.Reverse(all)
			}
			if errs := f.commitAll(all...); errs[0] != nil || errs[1] == nil {
				t.Errorf("%v", errs)
			}
			f.wantData(map[string]string{"users": test.want})
		})
	}
}

func TestLostResponseOfADocument(t *testing.T) {
	f := newFixture(t, map[string]string{"users": users})
	f.onPatches(testcluster.Fault{DropAfter: true})
	if _, err := f.engine.Commit(t.Context(), f.inUsers("[name=ann].role", eval.Text("admin"), eval.Text("ops"))); err != nil {
		t.Error(err)
	}
	changed := strings.Replace(users, "role: admin", "role: ops", 1)
	f.wantData(map[string]string{"users": changed})
	f.onPatches(testcluster.Fault{DropAfter: true, Answered: func(*http.Response) { f.set("users", changed+"# end\n") }})
	_, err := f.engine.Commit(t.Context(), f.inUsers("[name=bob].role", eval.Text("dev"), eval.Text("ops")))
	f.want(eval.Unknown, err)
}

func TestDocumentBeginsAndEndsWithItsItems(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	begin := f.inUsers("[name=ann]", eval.Value{}, f.user("ann", "dev"))
	if _, err := f.engine.Commit(t.Context(), begin); err != nil {
		t.Fatal(err)
	}
	f.wantData(map[string]string{"foo": "1", "users": "- name: ann\n  role: dev\n"})
	f.engine = f.newEngine(f.proxy.Config)
	end := f.inUsers("[name=ann]", f.user("ann", "dev"), eval.Value{})
	end.Keys[0].RemovesEmpty = true
	if _, err := f.engine.Commit(t.Context(), end); err != nil {
		t.Fatal(err)
	}
	f.wantData(map[string]string{"foo": "1"})
}

// Given the snapshot that a write left; when another writer makes room, or repairs the spelling, then the next write is
// not refused on the old snapshot. A refusal rests on another read.
func TestDocumentIsNotRefusedOnAnOldSnapshot(t *testing.T) {
	large := strings.Repeat("x", 100<<10)
	for name, test := range map[string]struct {
		filler, text         string
		otherKey, otherValue string // what the other writer writes
		value                string
		want                 string
	}{
		"too large": {strings.Repeat("f", 1000<<10), "a: 1\n", "filler", "small", large, "a: 1\nb: " + large + "\n"},
		"spelling":  {"small", "a: |\n  x", "users", "a: |\n  x\n", "z", "a: |\n  x\nb: z\n"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1", "filler": test.filler, "users": test.text})
			write := func(from, to eval.Value) {
				if _, err := f.do(f.swapping("foo", from, to)); err != nil {
					t.Fatal(err)
				}
				f.proxy.Reset()
			}
			write(one, two)
			_, err := f.commit(f.inUsers("b", eval.Value{}, eval.Text(test.value)))
			f.want(eval.Rejected, err)
			f.wantRequests("GET")

			write(two, one)
			f.set(test.otherKey, test.otherValue)
			_, err = f.commit(f.inUsers("b", eval.Value{}, eval.Text(test.value)))
			f.want(eval.Applied, err)
			f.wantRequests("GET PATCH")
			if live := f.live().Data["users"]; live != test.want {
				t.Errorf("the document is %.200q", live)
			}
		})
	}
}
