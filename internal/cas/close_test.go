package cas

import (
	"errors"
	"testing"
)

func TestCloseLeavesNoRequestBehind(t *testing.T) {
	for name, answered := range map[string]bool{"answered": true, "never answered": false} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
			sent, release := f.unanswered()
			waiting, closed := f.begin(f.swapping("bar", one, two)), make(chan struct{})
			<-waitFor(func() bool { return len(f.engine.committer(f.ref).waiting()) == 1 })
			go func() {
				f.engine.Close()
				close(closed)
			}()

			var canceled *CanceledError
			if err := <-waiting; !errors.As(err, &canceled) || !errors.Is(err, ErrClosed) {
				t.Errorf("%v, want a CanceledError of ErrClosed", err)
			}
			select {
			case <-closed:
				t.Error("closed while a write was under way")
			default:
			}
			if answered {
				close(release)
			} else {
				defer close(release) // a look tells
			}
			f.want(Applied, <-sent)
			<-closed

			f.proxy.Reset()
			_, err := f.do(f.swapping("bar", one, two))
			if !errors.Is(err, ErrClosed) || f.proxy.Count() != 0 {
				t.Errorf("%v after %d requests, want a refusal without one", err, f.proxy.Count())
			}
			f.wantData(map[string]string{"foo": "2", "bar": "1"})
		})
	}
}
