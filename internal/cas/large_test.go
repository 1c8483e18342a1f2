package cas

import (
	"net/http"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

func TestLargeObjectIsReadAgainOnlyWhereItChanged(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"foo": "1", "padding": strings.Repeat("x", wire.Large)})
		var sizes []int64
		f.proxy.SetHook(func(*http.Request) testcluster.Fault {
			return testcluster.Fault{Answered: func(r *http.Response) { sizes = append(sizes, r.ContentLength) }}
		})
		observe := func() {
			t.Helper()
			sizes = nil
			seen := f.observe()
			if got, want := seen.Version(), f.version(); got != want || seen.Entry("foo") != f.holding(f.live().Data["foo"]) {
				t.Errorf("observed %v, foo %v; live is %v", got, seen.Entry("foo"), want)
			}
		}
		observe()
		if len(sizes) != 1 {
			t.Errorf("%d requests for a first look, want 1", len(sizes))
		}
		observe()
		if len(sizes) != 1 || sizes[0] < 1 || sizes[0] > 1<<10 {
			t.Errorf("answers of %d bytes to a second look, want one of less than 1 KiB", sizes)
		}
		f.set("foo", "2")
		observe()
		if len(sizes) != 2 {
			t.Errorf("%d requests after a change, want 2", len(sizes))
		}
		f.recreate(map[string]string{"foo": "3"})
		observe()
		f.set("foo", "4") // it is no longer large
		observe()
		if len(sizes) != 1 {
			t.Errorf("%d requests for a small object, want 1", len(sizes))
		}
		_, err := f.do(f.swapping("foo", Text("3"), one))
		f.wantReason(ReasonKey, err)
	})
}
