package cas

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Given two entries that were planned together; when one of them is applied ten minutes after the other, and the object's body was
// forgotten meanwhile; then only the write of another process is a conflict.
func TestSiblingsWriteIsKnownTenMinutesLater(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		for name, isForeign := range map[string]bool{"nobody else wrote": false, "another wrote": true} {
			t.Run(name, func(t *testing.T) {
				f := newFixtureOf(t, kind, map[string]string{"foo": "1", "bar": "1", "other": "1"})
				planned := f.version()
				var late atomic.Int64 // by how much the Engine's clock is ahead
				f.engine.client.Now = func() time.Time { return time.Now().Add(time.Duration(late.Load())) }
				_, err := f.do(f.swapping("foo", one, two, planned))
				f.want(eval.Applied, err)

				late.Store(int64(10 * time.Minute))
				c := f.engine.committer(f.ref)
				<-waitFor(func() bool { c.forgetIdle(); return c.snapshot == nil })
				if isForeign {
					f.set("other", "2")
				}
				f.proxy.Reset()
				_, err = f.do(f.swapping("bar", one, two, planned))
				if isForeign {
					f.wantReason(eval.ReasonObject, err)
					return
				}
				f.want(eval.Applied, err)
				f.wantData(map[string]string{"foo": "2", "bar": "2", "other": "1"})
				if _, watches := f.count(); watches != 0 || f.proxy.Count() != 2 {
					t.Errorf("%v, want a read that tells the horizon, and a patch", f.proxy.Requests())
				}
			})
		}
	})
}
