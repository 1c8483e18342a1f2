package cas

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

// owned is a state of an object: what its keys hold, and who owns them, as in "foo=1 engine". All wrote within the same second, so
// that times tell nothing; an owner of "?" is one of whom it is not told what it owns.
func owned(t *testing.T, keys ...string) *Observation {
	t.Helper()
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{UID: "u"}, Data: map[string]string{}}
	fields := map[string][]string{}
	for _, key := range keys {
		entry, owner, _ := strings.Cut(key, " ")
		name, value, isThere := strings.Cut(entry, "=")
		if isThere {
			cm.Data[name] = value
		}
		fields[owner] = append(fields[owner], `"f:`+name+`":{}`)
	}
	for _, owner := range slices.Sorted(func(yield func(string) bool) {
		for owner := range fields {
			if !yield(owner) {
				return
			}
		}
	}) {
		f := metav1.ManagedFieldsEntry{
			Manager: owner, Operation: metav1.ManagedFieldsOperationUpdate, Time: &metav1.Time{Time: time.Unix(1, 0)},
			FieldsV1: metav1.NewFieldsV1(`{"f:data":{` + strings.Join(fields[owner], ",") + `}}`),
		}
		if owner == "?" {
			f.Manager, f.FieldsV1 = "engine", nil
		}
		if owner == "later?" { // wrote in the next second
			f.Manager, f.FieldsV1, f.Time = "foreign", nil, &metav1.Time{Time: time.Unix(2, 0)}
		}
		cm.ManagedFields = append(cm.ManagedFields, f)
	}
	return judging.Observed(cm, time.Time{})
}

// Given a swap of foo from 1 to 2, and for some of bar from 1 to 2 with it, or a comparison of bar, under the name of engine, whose
// answer got lost; when the first version after its base is as told; then that is ours, or not, or may be.
func TestWhoseVersionItIs(t *testing.T) {
	t.Parallel()
	foo := judging.Change{Key: "foo", From: one, To: two}
	bar := judging.Change{Key: "bar", From: one, To: two}
	guard := judging.Change{Key: "bar", From: one, To: one, IsGuard: true}
	for name, test := range map[string]struct {
		changes []judging.Change
		before  []string
		next    []string
		want    answer
	}{
		"just what ours makes": {[]judging.Change{foo}, []string{"foo=1 ?", "bar=1 ?"}, []string{"foo=2 ?", "bar=1 ?"}, yes},
		"foo is something else, as admission may have made it": {
			[]judging.Change{foo}, []string{"foo=1 ?", "bar=1 ?"}, []string{"foo=3 ?", "bar=1 ?"}, maybe,
		},
		"foo is something else, and another wrote": {
			[]judging.Change{foo}, []string{"foo=1 ?", "bar=1 ?"}, []string{"foo=3 ?", "bar=1 later?"}, no,
		},
		"foo is as it was, and what is compared is not": {
			[]judging.Change{foo, guard}, []string{"foo=1 ?", "bar=1 ?"}, []string{"foo=1 ?", "bar=9 ?"}, no,
		},
		"bar is ours, and foo is as it was and another's": {
			[]judging.Change{foo, bar}, []string{"foo=1 foreign", "bar=1 engine"}, []string{"foo=1 foreign", "bar=9 engine"}, no,
		},
		"foo is gone, and nobody's": {
			[]judging.Change{foo}, []string{"foo=1 foreign", "bar=1 engine", "x foreign"}, []string{"bar=1 engine", "x foreign"}, no,
		},
		"foo is ours, and bar is another's and changed with it": {
			[]judging.Change{foo}, []string{"foo=1 engine", "bar=1 foreign"}, []string{"foo=3 engine", "bar=9 foreign"}, no,
		},
		"foo is ours, and another came to own something": {
			[]judging.Change{foo}, []string{"foo=1 engine", "bar=1 foreign"}, []string{"foo=2 engine", "bar=1 foreign", "x foreign"}, no,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := owned(t, test.before...)
			b := &batch{from: before, tasks: []*task{{txn: &Txn{FieldManager: "engine"}}}, changes: test.changes}
			if got := b.made(before, owned(t, test.next...)); got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
		})
	}
}

// Given a swap of foo from 1 to 2 whose answer got lost, and an earlier one of the same values that may land yet; when the first version in which
// foo is 2 is found, of one that foo is 1 in; then it is ours only where the earlier one cannot have made it: a merge patch only of its base, a
// JSON Patch of any version.
func TestEarlierWriteMayHaveMadeTheVersion(t *testing.T) {
	t.Parallel()
	at := func(version, foo string) *Observation {
		o := owned(t, "foo="+foo+" ?")
		o.Object().ResourceVersion = version
		return o
	}
	v := func(version string) Version { return Version{UID: "u", ResourceVersion: version} }
	swap := []judging.Change{{Key: "foo", From: one, To: two}}
	for name, test := range map[string]struct {
		earlier      lost
		base, before string // of ours, and of the version that was found
		byKey        bool   // ours
		want         answer
	}{
		"none":                          {lost{}, "1", "1", false, yes},
		"a merge patch on our base":     {lost{base: v("1"), changes: swap}, "1", "1", false, maybe},
		"a merge patch on another base": {lost{base: v("0"), changes: swap}, "1", "1", false, yes},
		"a merge patch on our base, which was left":   {lost{base: v("1"), changes: swap}, "1", "2", true, yes},
		"a JSON Patch on our base":                    {lost{base: v("1"), changes: swap, byKey: true}, "1", "1", false, maybe},
		"a JSON Patch on another base":                {lost{base: v("0"), changes: swap, byKey: true}, "1", "1", false, maybe},
		"a JSON Patch on our base, which was left":    {lost{base: v("1"), changes: swap, byKey: true}, "1", "2", true, maybe},
		"a JSON Patch of foo from another value":      {lost{base: v("1"), changes: []judging.Change{{Key: "foo", From: three, To: two}}, byKey: true}, "1", "1", false, yes},
		"a JSON Patch of foo to another value":        {lost{base: v("1"), changes: []judging.Change{{Key: "foo", From: one, To: three}}, byKey: true}, "1", "1", false, yes},
		"a merge patch on our base, to another value": {lost{base: v("1"), changes: []judging.Change{{Key: "foo", From: one, To: three}}}, "1", "1", false, yes},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &committer{}
			if test.earlier.changes != nil {
				c.lost = []lost{test.earlier}
			}
			b := c.newBatch(v(test.base))
			b.from, b.byKey = at(test.base, "1"), test.byKey
			b.add(txnTask(t, (&Swap{Key: "foo", New: two, FieldManager: "engine"}).Txn()), swap)
			if got := b.made(at(test.before, "1"), at("9", "2")); got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
		})
	}
}
