package cas

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
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
	ctx   context.Context
	kind  taskKind
	ref   Ref
	asked time.Time
	// What it is about: one of them, and none for an observation.
	txn    *Txn
	create *Creation
	remove *Removal
	// maxAge is how old an observation may be that answers a task without a read of its own.
	maxAge time.Duration

	// sent is taken by whoever comes first: by the committer before it sends the write, or by the caller who gives up. A
	// task that is given up is never sent. The committer gives it back when what it sent was not written.
	sent atomic.Int32
	// base is the version that the write last sent for the task was conditional on; nil while none was.
	base atomic.Pointer[Version]
	// attempts and company are for the trace; a caller who gives up may look at them while the committer counts on.
	attempts, company atomic.Int64

	// The committer's own.
	mustRead  bool // has been refused once without a read
	overtaken bool // a creation: has been refused as existing, and there was nothing
	most      int  // how many tasks may go into a request with this one
	answered  bool

	// The committer's answer; to be read when done is closed.
	done     chan struct{}
	observed *Observation
	result   TxnResult
	err      error
}

const (
	waiting int32 = iota
	sending
	givenUp
)

func newTask(ctx context.Context, kind taskKind, ref Ref) *task {
	return &task{ctx: ctx, kind: kind, ref: ref, asked: time.Now(), most: maxGroup, done: make(chan struct{})}
}

func newTxnTask(ctx context.Context, kind taskKind, txn *Txn) *task {
	t := newTask(ctx, kind, txn.Ref)
	t.txn = txn
	return t
}

// isWhole tells whether the task is about the object as such, so that nothing else can go into its request.
func (t *task) isWhole() bool { return t.create != nil || t.remove != nil }

// sends tells whether the task is to send something that others can go along with.
func (t *task) sends() bool { return t.kind >= rehearseTask }

func (t *task) answer(err error) {
	t.err, t.answered = err, true
	close(t.done)
}

// claim tells whether the write, conditional on base, may be sent.
func (t *task) claim(base Version) bool {
	t.base.Store(&base)
	return t.sent.CompareAndSwap(waiting, sending) || t.sent.Load() == sending
}

// release takes note that nothing of the task was written or is on its way: its caller may give up at once again. One that
// has ended meanwhile waits for an answer, and gets it.
func (t *task) release(host string) {
	t.sent.CompareAndSwap(sending, waiting)
	if t.ctx.Err() != nil && !t.answered {
		t.answer(&CanceledError{Ref: t.ref, Host: host, Err: context.Cause(t.ctx)})
	}
}

// wait gives the committer's answer, or gives up when the caller's context ends: at once while nothing was sent, and
// otherwise not before Grace.
func (t *task) wait(host string) error {
	select {
	case <-t.done:
		return t.err
	case <-t.ctx.Done():
	}
	if t.sent.CompareAndSwap(waiting, givenUp) {
		return &CanceledError{Ref: t.ref, Host: host, Err: context.Cause(t.ctx)}
	}
	grace := time.NewTimer(Grace)
	defer grace.Stop()
	select {
	case <-t.done:
		return t.err
	case <-grace.C:
		return &UnknownError{Ref: t.ref, Base: *t.base.Load(), Err: context.Cause(t.ctx)}
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

var errNoAnswer = errors.New("no answer came in time")

// lingering is a context that ends with parent, and otherwise a while after the callers have ended or, where they had
// ended already, after now.
func lingering(parent, callers context.Context, while time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	stop := context.AfterFunc(callers, func() { time.AfterFunc(while, func() { cancel(errNoAnswer) }) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}
