package cas

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Given a swap where others are busy, whose connection breaks while it is on its way; when another key is written, the Engine
// looks, and only then the swap arrives and lands; then it is applied: the Engine has gone on watching for it. Where it never
// arrives, it is unknown, or was sent in a way that tells.
func TestSwapThatArrivesAfterTheFirstLookIsFoundOut(t *testing.T) {
	tests := map[string]struct {
		looks int32 // so many reads and watches were answered when it lands; none: it never does
		busy  int   // so many other writes before the first look
	}{
		"after the first look, another key was written":            {1, 1},
		"after the second look, another key was written":           {2, 1},
		"after the second look, other keys were written":           {2, 3},
		"after the first look, nobody else has written since":      {1, 0},
		"it never arrives and is sent no more, others are writing": {0, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			d := f.delayed()
			f.contend()
			var patches, looks atomic.Int32
			var once sync.Once
			f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
				switch {
				case r.Method == http.MethodPatch && patches.Add(1) == 1:
					return d.fault()
				case r.Method == http.MethodGet && patches.Load() == 1:
					if looks.Add(1) == 1 {
						for range test.busy {
							f.set("other", f.version().ResourceVersion)
						}
					}
					if looks.Load() == test.looks {
						return testcluster.Fault{Answered: func(*http.Response) {
							once.Do(func() {
								close(d.release)
								<-d.landed
							})
						}}
					}
				}
				return testcluster.Fault{}
			})
			d.armed.Store(true)
			_, err := f.do(f.swapping("foo", one, two))
			switch verdict := VerdictOf(err); {
			case verdict == Applied:
				if got := f.live().Data["foo"]; got != "2" {
					t.Errorf("applied, and foo is %q", got)
				}
			case test.looks > 0 || verdict != Unknown:
				t.Errorf("%s after %d looks and %d patches: %v", verdict, looks.Load(), patches.Load(), err)
			}
			if test.looks > 0 && f.live().Data["foo"] != "2" {
				t.Errorf("foo is %q, want 2", f.live().Data["foo"])
			}
		})
	}
}
