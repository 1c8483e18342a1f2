package cas

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

func TestDryRunChangesNothing(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"foo": "1", "bar": "1"})
		v := f.version()
		ctx := t.Context()
		_, err := f.engine.Check(ctx, f.swapping("foo", one, two, v).Txn(), DryRun)
		f.want(eval.Applied, err)
		_, err = f.engine.CheckRemove(ctx, &eval.Removal{Ref: f.ref, RequireVersions: []eval.Version{v}}, DryRun)
		f.want(eval.Applied, err)
		other := f.creation()
		other.Ref.Name = "other"
		_, err = f.engine.CheckCreate(ctx, other, DryRun)
		f.want(eval.Applied, err)
		if f.version() != v || f.engine.HasWritten() || f.proxy.Count(http.MethodPatch, http.MethodDelete, http.MethodPost) != 3 {
			t.Errorf("version %v, swapped %t, %v", f.version(), f.engine.HasWritten(), f.proxy.Requests())
		}
		_, err = f.engine.Check(ctx, f.swapping("foo", two, one).Txn(), DryRun)
		f.wantReason(eval.ReasonKey, err)

		f.set("bar", "9") // a dry run does not extend the chain
		_, err = f.do(f.swapping("foo", one, two, v))
		f.wantReason(eval.ReasonObject, err)
	})
}

// Each dry run is sent alone, so that one refusal does not fail another one.
func TestDryRunsOfOneConfigMapAreSentAlone(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	var checks []func() error
	for i := range 10 {
		key := string(rune('a' + i))
		if i == 5 {
			key = "not/valid"
		}
		checks = append(checks, func() error {
			_, err := f.engine.Check(t.Context(), f.swapping(key, eval.Value{}, one).Txn(), DryRun)
			return err
		})
	}
	for i, err := range f.inOneBatch(checks...) {
		want := eval.Applied
		if i == 5 {
			want = eval.Rejected
		}
		f.want(want, err)
	}
	if n := f.proxy.Count(http.MethodPatch); n != 10 {
		t.Errorf("%d dry runs, want 10", n)
	}
}

func TestDryRunWhoseResponseWasLostIsAnError(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	sent := 0 // one at a time
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.Method == http.MethodGet {
			return testcluster.Fault{}
		}
		if sent++; sent > 5 { // each of the three is sent once
			leave()
		}
		return testcluster.Fault{DropAfter: true}
	})
	other := f.creation()
	other.Ref.Name = "other"
	for name, check := range map[string]func() error{
		"swap": func() error {
			_, err := f.engine.Check(ctx, f.swapping("foo", one, two).Txn(), DryRun)
			return err
		},
		"create": func() error { _, err := f.engine.CheckCreate(ctx, other, DryRun); return err },
		"remove": func() error {
			_, err := f.engine.CheckRemove(ctx, &eval.Removal{Ref: f.ref}, DryRun)
			return err
		},
	} {
		var unreachable *eval.UnreachableError
		if err := check(); !errors.As(err, &unreachable) {
			t.Errorf("%s: %v, want that it got no answer", name, err)
		}
	}
}
