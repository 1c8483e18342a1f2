package cas

import (
	"net/http"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

func TestRehearsedRemovalTellsWhatIsThere(t *testing.T) {
	for name, test := range map[string]struct {
		fault  func(*fixture)
		exists bool
	}{
		"as it was seen": {func(*fixture) {}, true},
		"gone meanwhile": {(*fixture).gone, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			v := f.version()
			f.onSends(http.MethodDelete, func() testcluster.Fault { test.fault(f); return testcluster.Fault{} })
			o, err := f.engine.CheckRemove(t.Context(), &Removal{Ref: f.ref, At: []Version{v}}, Rehearsing)
			f.want(Applied, err)
			if o == nil || o.Exists() != test.exists {
				t.Errorf("observed %+v", o)
			}
		})
	}
}

func TestRehearsalIsNeverTakenForWhatWasWritten(t *testing.T) {
	f := newEmptyFixture(t)
	_, err := f.engine.CheckCreate(t.Context(), f.creation(), Rehearsing)
	f.want(Applied, err)
	o, err := f.engine.Observe(t.Context(), f.ref, Fresh)
	if err != nil || o.Exists() {
		t.Errorf("%v is there (%v)", o, err)
	}
	f.make(map[string]string{"foo": "1"})
	if _, err := f.engine.Observe(t.Context(), f.ref, 0); err != nil {
		t.Fatal(err)
	}
	_, err = f.engine.CheckRemove(t.Context(), &Removal{Ref: f.ref}, Rehearsing)
	f.want(Applied, err)
	o, err = f.engine.Observe(t.Context(), f.ref, Fresh)
	if err != nil || !o.Exists() {
		t.Errorf("it is gone (%v)", err)
	}
}
