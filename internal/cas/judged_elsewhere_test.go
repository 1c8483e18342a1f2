package cas

import (
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// A write that another process has judged just before, as a plan does for its apply, needs no read.

// judgedElsewhere checks a swap with an engine of its own, and gives what another needs to write it without a read.
func (f *fixture) judgedElsewhere(s Swap) *Txn {
	f.Helper()
	txn := s.Txn()
	seen, err := f.newEngine(f.cluster.Config).Check(f.Context(), txn, ReadOnly)
	if err != nil {
		f.Fatal(err)
	}
	txn.Seen, txn.SeenDigest, txn.SeenSince = seen.Version(), seen.Digest(), seen.Horizon()
	return txn
}

// wantRequests compares the requests since the last Reset.
func (f *fixture) wantRequests(want string) {
	f.Helper()
	var got []string
	for _, r := range f.proxy.Requests() {
		if r.Query.Has("watch") {
			r.Method = "WATCH"
		}
		got = append(got, r.Method)
	}
	if strings.Join(got, " ") != want {
		f.Errorf("requests %v, want %s", got, want)
	}
}

func TestWriteThatWasJudgedElsewhereNeedsNoRead(t *testing.T) {
	for name, test := range map[string]struct {
		change   func(f *fixture, txn *Txn)
		verdict  Verdict
		requests string
	}{
		"at once":                  {func(*fixture, *Txn) {}, Applied, "PATCH"},
		"bound to that version":    {func(_ *fixture, txn *Txn) { txn.Bound = txn.Seen }, Applied, "PATCH"},
		"bound to another version": {func(_ *fixture, txn *Txn) { txn.Bound = Version{UID: "u", ResourceVersion: "1"} }, Conflict, "WATCH"},
		"held to another version":  {func(_ *fixture, txn *Txn) { txn.At = []Version{{ResourceVersion: "1"}} }, Conflict, "WATCH"},
		"a minute ago":             {func(_ *fixture, txn *Txn) { txn.SeenSince.At = time.Now().Add(-time.Minute) }, Applied, "WATCH PATCH"},
		"in the future":            {func(_ *fixture, txn *Txn) { txn.SeenSince.At = time.Now().Add(time.Minute) }, Applied, "WATCH PATCH"},
		"it is not known since when": {
			func(_ *fixture, txn *Txn) { txn.SeenSince = Horizon{} }, Applied, "WATCH PATCH",
		},
		"it is not known what there was": {func(_ *fixture, txn *Txn) { txn.SeenDigest = "" }, Applied, "WATCH PATCH"},
		"another key changed since":      {func(f *fixture, _ *Txn) { f.set("other", "new") }, Applied, "PATCH GET WATCH PATCH"},
		"the key changed since":          {func(f *fixture, _ *Txn) { f.set("foo", "3") }, Conflict, "PATCH GET"},
		"it has become immutable":        {func(f *fixture, _ *Txn) { f.change(func(cm *corev1.ConfigMap) { cm.Immutable = new(true) }) }, Rejected, "PATCH GET"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1", "guard": "up"})
			txn := f.judgedElsewhere(f.swapping("foo", one, two))
			test.change(f, txn)
			before := f.live().Data["foo"]
			f.proxy.Reset()
			result, err := f.engine.Commit(t.Context(), txn)
			f.want(test.verdict, err)
			f.wantRequests(test.requests)
			if got := f.live().Data["foo"]; test.verdict == Applied && (got != "2" || result.Of("foo").Previous != one) || test.verdict != Applied && got != before {
				t.Errorf("foo holds %q; it replaced %v", got, result.Of("foo").Previous)
			}
		})
	}
}

func TestGuardsOfAWriteThatWasJudgedElsewhereStay(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "guard": "up"})
	txn := f.judgedElsewhere(f.swapping("foo", one, two))
	txn.Keys = append(txn.Keys, KeySwap{Key: "guard", Expect: Text("up"), IsGuard: true})
	f.proxy.Reset()
	_, err := f.engine.Commit(t.Context(), txn)
	f.want(Applied, err)
	f.wantRequests("PATCH")
	f.wantData(map[string]string{"foo": "2", "guard": "up"})
}

// TestLostAnswerOfAWriteThatWasJudgedElsewhere: the object is older than the horizon, which the watch begins at.
func TestLostAnswerOfAWriteThatWasJudgedElsewhere(t *testing.T) {
	for name, test := range map[string]struct {
		fault   testcluster.Fault
		then    func(f *fixture)
		verdict Verdict
		live    string
	}{
		"it landed":                      {testcluster.Fault{DropAfter: true}, nil, Applied, "2"},
		"it landed, and the key changed": {testcluster.Fault{DropAfter: true}, func(f *fixture) { f.set("foo", "3") }, Applied, "3"},
		"it did not land":                {testcluster.Fault{DropBefore: true}, nil, Applied, "2"},
		"another key changed first":      {testcluster.Fault{DropBefore: true}, func(f *fixture) { f.set("other", "new") }, Applied, "2"},
		"the key changed first":          {testcluster.Fault{DropBefore: true}, func(f *fixture) { f.set("foo", "3") }, Conflict, "3"},
		"another wrote the same first":   {testcluster.Fault{DropBefore: true}, func(f *fixture) { f.set("foo", "2") }, Conflict, "2"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			f.set("aged", "yes") // and so has managedFields
			txn := f.judgedElsewhere(f.swapping("foo", one, two))
			fired := false
			f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
				switch {
				case r.Method == http.MethodPatch && !fired:
					fired = true
					return test.fault
				case fired && test.then != nil:
					test.then(f)
					test.then = nil
				}
				return testcluster.Fault{}
			})
			_, err := f.engine.Commit(t.Context(), txn)
			f.want(test.verdict, err)
			if got := f.live().Data["foo"]; got != test.live {
				t.Errorf("foo holds %q, want %q", got, test.live)
			}
		})
	}
}

// TestWriteThatWasJudgedOnAnOlderVersionKeepsTheLineage: the foreign write came between two plans, so that the second one is bound to what it left.
func TestWriteThatWasJudgedOnAnOlderVersionKeepsTheLineage(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
	first := f.judgedElsewhere(f.swapping("foo", one, two))
	f.set("other", "new")
	second := f.judgedElsewhere(f.swapping("bar", one, two))
	second.Bound = second.Seen
	for _, txn := range []*Txn{first, second} {
		_, err := f.engine.Commit(t.Context(), txn)
		f.want(Applied, err)
	}
	f.wantData(map[string]string{"foo": "2", "bar": "2", "other": "new"})
}

// TestAdmissionMayHaveChangedAWriteThatWasJudgedElsewhere: what looks otherwise than it was sent proves nothing by itself.
func TestAdmissionMayHaveChangedAWriteThatWasJudgedElsewhere(t *testing.T) {
	t.Parallel()
	before := map[string]Entry{"foo": one, "bar": one}
	for name, test := range map[string]struct {
		next []string
		want answer
	}{
		"as it was sent":                     {[]string{"foo=2 engine", "bar=1 foreign"}, yes},
		"another value under our name":       {[]string{"foo=9 engine", "bar=1 foreign"}, maybe},
		"another value under another's name": {[]string{"foo=9 foreign", "bar=1 foreign"}, no},
		"more than was sent":                 {[]string{"foo=2 engine", "bar=9 engine"}, maybe},
		"as it was sent, by another":         {[]string{"foo=2 foreign", "bar=1 foreign"}, no},
		"more than was sent, by another":     {[]string{"foo=2 foreign", "bar=9 foreign"}, no},
		"the key is as it was":               {[]string{"foo=1 engine", "bar=9 engine"}, no},
		"nobody tells":                       {[]string{"foo=9 ?", "bar=1 ?"}, maybe},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &batch{since: "1", digest: judging.Digest(before), changes: []judging.Change{{Key: "foo", From: one, To: two}}}
			b.tasks = []*task{txnTask(t, (&Swap{Key: "foo", FieldManager: "engine"}).Txn())}
			if got := b.made(nil, owned(t, test.next...)); got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
		})
	}
}
