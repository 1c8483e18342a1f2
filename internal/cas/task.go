package cas

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

type taskKind uint8

const (
	observeTask taskKind = iota
	checkTask
	rehearseTask // a check that sends what it would write as a dry run
	writeTask
)

// operation is what a traced call is named.
func (t *task) operation() string {
	switch {
	case t.kind == observeTask:
		return "observe"
	case t.kind == checkTask:
		return "check"
	case t.kind == rehearseTask:
		return "rehearse"
	case t.create != nil:
		return "create"
	case t.remove != nil:
		return "remove"
	default:
		return "swap"
	}
}

// task is one caller's wish in a committer's queue.
type task struct {
	ctx  context.Context
	kind taskKind
	ref  Ref
	// client reads and writes the object in the shape that the task is about: its entries, or its fields in a version.
	client *wire.Client
	asked  time.Time
	// What it is about: one of them, and none for an observation.
	txn    *Txn
	create *Creation
	remove *Removal
	// maxAge is how old an observation may be that answers a task without a read of its own.
	maxAge time.Duration

	// state is changed by whichever comes first: the committer, before it sends the write, or the caller, who gives up. A
	// task that is given up is never sent. The committer gives it back when what it sent was not written.
	state atomic.Int32
	// sent is what was last sent for the task; nil while nothing was.
	sent atomic.Pointer[sent]
	// attempts and company are for the trace; a caller who gives up may look at them while the committer counts on.
	attempts, company atomic.Int64

	// The committer's own.
	mustRead  bool // has been refused once without a read
	overtaken bool // a creation: has been refused as existing, and there was nothing
	most      int  // how many tasks may go into a request with this one
	// doubt says why it is not known whether a write of it that was set aside has landed, or may yet land. Nil where there is none.
	doubt error
	// aside is when a batch with it was last set aside; zero where none was. With isApart it was alone, and its siblings go ahead of it.
	aside    time.Time
	isApart  bool
	answered bool

	// The committer's answer; to be read when done is closed.
	done     chan struct{}
	observed *Observation
	result   TxnResult
	err      error

	// own is what a caller has read by himself who did not wait for the committer's answer.
	own *Observation
}

// sent is what was sent for a task: the version that it was conditional on, and what it did.
type sent struct {
	base    Version
	changes []judging.Change
	byKey   bool  // by JSON Patch
	before  *sent // what was sent before it, and is in doubt
}

const (
	waiting int32 = iota
	sending
	givenUp
)

func newTask(ctx context.Context, kind taskKind, ref Ref, now time.Time) *task {
	return &task{ctx: ctx, kind: kind, ref: ref, asked: now, most: maxTasks, done: make(chan struct{})}
}

// isWhole reports whether the task is about the object as such, so that nothing else can go into its request.
func (t *task) isWhole() bool { return t.create != nil || t.remove != nil }

// waitsForAll reports whether the task waits for all ahead of it, and all behind wait for it.
func (t *task) waitsForAll() bool { return t.isWhole() || t.txn != nil && seals(t.txn) }

// wasAside reports whether siblings have waited for a batch with the task, in vain.
func (t *task) wasAside() bool { return !t.aside.IsZero() }

// sends reports whether the task is to send something that others can go along with.
func (t *task) sends() bool { return t.kind >= rehearseTask }

// answer is the last word. A task that has one keeps it. Of a task in doubt, any error but unknown becomes unknown.
func (t *task) answer(err error) {
	if t.answered {
		return
	}
	if err != nil && t.doubt != nil && VerdictOf(err) != Unknown {
		err = t.unknown(errors.Join(t.doubt, err))
	}
	t.err, t.answered = err, true
	close(t.done)
}

// claim reports whether the write may be sent: its caller has not given up, or waits for its verdict anyway.
func (t *task) claim(s sent) bool {
	if t.doubt == nil && !t.state.CompareAndSwap(waiting, sending) {
		return false
	}
	if t.doubt != nil {
		s.before = t.sent.Load()
	}
	t.sent.Store(&s)
	return true
}

// release takes note that nothing of the task was written or is on its way, unless it is in doubt: its caller may give up at once again.
func (t *task) release() {
	if t.doubt == nil {
		t.state.CompareAndSwap(sending, waiting)
	}
}

// unknown is the error where it could not be found out what became of the task's write.
func (t *task) unknown(err error) error {
	s := t.sent.Load()
	unknown := &UnknownError{Ref: t.ref, Base: s.base, Err: err, Changes: s.changes, OnAny: s.byKey}
	for s = s.before; s != nil; s = s.before {
		unknown.Earlier = append(unknown.Earlier, s.changes)
	}
	return unknown
}

// errLate ends the wait of a caller who only looks.
var errLate = errors.New("others have the committer busy")

// wait gives the committer's answer, or gives up when the caller's context ends: at once while nothing was sent, and
// otherwise not before the grace is over. Who only looks waits no longer than what he sees may be old.
func (t *task) wait(host string, grace time.Duration) error {
	var late <-chan time.Time
	if t.kind == observeTask {
		late = time.After(Fresh)
	}
	select {
	case <-t.done:
		return t.err
	case <-late:
		return errLate
	case <-t.ctx.Done():
	}
	if t.state.CompareAndSwap(waiting, givenUp) {
		return &CanceledError{Ref: t.ref, Host: host, Err: context.Cause(t.ctx)}
	}
	end := time.NewTimer(grace)
	defer end.Stop()
	select {
	case <-t.done:
		return t.err
	case <-end.C:
		return t.unknown(context.Cause(t.ctx))
	}
}

// anyCaller is a context that ends when the contexts of all tasks have ended, with the cause of the last one.
func anyCaller(tasks []*task) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	var left atomic.Int64
	left.Store(int64(len(tasks)))
	stops := make([]func() bool, 0, len(tasks))
	for _, t := range tasks {
		stops = append(stops, context.AfterFunc(t.ctx, func() {
			if left.Add(-1) == 0 {
				cancel(context.Cause(t.ctx))
			}
		}))
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel(nil)
	}
}

var (
	errNoAnswer    = errors.New("no answer came in time")
	errInterrupted = errors.New("the run was interrupted, and no answer came since")
)

// noAnswer is why nobody waits for an answer any more, where the callers have ended.
func noAnswer(callers context.Context) error {
	if errors.Is(context.Cause(callers), context.DeadlineExceeded) {
		return errNoAnswer
	}
	return errInterrupted
}

// lingering is a context that ends with parent, and otherwise a while after the callers have ended or, where they had
// ended already, after now.
func lingering(parent, callers context.Context, while time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	stop := context.AfterFunc(callers, func() {
		wire.Sleep(ctx, while)
		cancel(noAnswer(callers))
	})
	return ctx, func() {
		cancel(nil)
		stop()
	}
}
