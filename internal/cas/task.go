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

	// Used by the committer's goroutine alone.
	overtaken bool // of a creation: the API server said that the object exists, and a read found none
	most      int  // how many tasks may share a request with this one
	// lost says why the outcome of an earlier request of a computed key is unknown; nil if there was none. From then on the verdict of
	// the task is applied or unknown.
	lost     error
	answered bool

	// The committer's answer; to be read when done is closed.
	done     chan struct{}
	observed *Observation
	result   TxnResult
	err      error

	// own is what a caller has read by himself who did not wait for the committer's answer.
	own *Observation
}

// sent is what was sent for a task: the version that the request was conditional on, and what it changed.
type sent struct {
	base    Version
	changes []judging.Change
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

// sends reports whether the task is to send something that others can go along with.
func (t *task) sends() bool { return t.kind >= rehearseTask }

// answer ends the task. A task that has an answer keeps it. After a lost response, an error becomes an *UnknownError.
func (t *task) answer(err error) {
	if t.answered {
		return
	}
	if err != nil && t.lost != nil && VerdictOf(err) != Unknown {
		err = t.unknown(errors.Join(t.lost, err))
	}
	t.err, t.answered = err, true
	close(t.done)
}

// claim reports whether the write may be sent: its caller has not given up, or waits for the outcome of an earlier request anyway.
func (t *task) claim(s sent) bool {
	if t.lost == nil && !t.state.CompareAndSwap(waiting, sending) {
		return false
	}
	t.sent.Store(&s)
	return true
}

// release records that nothing of the task was written, so that its caller may give up at once again. After a lost response, and
// once the task has its answer, that is not so, and release does nothing.
func (t *task) release() {
	if t.lost == nil && !t.answered {
		t.state.CompareAndSwap(sending, waiting)
	}
}

// unknown returns the error of a task whose outcome is unknown.
func (t *task) unknown(err error) error {
	s := t.sent.Load()
	return &UnknownError{Ref: t.ref, Base: s.base, Err: err}
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
