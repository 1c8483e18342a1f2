package cas

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

type taskKind uint8

const (
	observeTask taskKind = iota
	checkTask
	writeTask
)

// operation is the write of a call. One of the four is set, and none for an Observe call.
type operation struct {
	txn      *eval.Txn
	create   *eval.Creation
	remove   *eval.Removal
	handBack *eval.HandBack
}

// evaluate evaluates the operation on a snapshot. computed has the values that earlier transactions of the request
// compute.
func (op operation) evaluate(o *eval.Snapshot, computed map[string]eval.Value, h eval.History) eval.Decision {
	switch {
	case op.txn != nil:
		return eval.Evaluate(op.txn, o, computed, h)
	case op.create != nil:
		return op.create.Evaluate(o)
	case op.remove != nil:
		return op.remove.Evaluate(o, h)
	case op.handBack != nil:
		return op.handBack.Evaluate(o)
	default:
		return eval.Decision{Action: eval.NoOp}
	}
}

// isWhole reports whether the operation is no Txn: it creates or deletes the object, or changes its owners. No Txn can
// share its request.
func (op operation) isWhole() bool { return op.create != nil || op.remove != nil || op.handBack != nil }

// verb returns the verb of the operation's request.
func (op operation) verb() string {
	switch {
	case op.create != nil:
		return "create"
	case op.remove != nil:
		return "delete"
	case op.handBack != nil:
		return "hand back"
	default:
		return "patch"
	}
}

// name returns the name of the call in a trace.
func (t *task) name() string {
	switch {
	case t.kind == observeTask:
		return "observe"
	case t.kind == checkTask:
		return "check"
	case t.create != nil:
		return "create"
	case t.remove != nil:
		return "remove"
	case t.handBack != nil:
		return "hand back"
	default:
		return "swap"
	}
}

// task is one call in a committer's queue.
type task struct {
	operation

	ctx  context.Context
	kind taskKind
	ref  eval.Ref
	// client reads and writes the object in the API version that the task needs.
	client      *wire.Client
	requestedAt time.Time
	// maxAge is the greatest age of a state that answers the task without another read.
	maxAge time.Duration

	// state changes from waiting to sending or to givenUp: by the committer before it sends the write, or by the caller
	// that gives up, whichever is first. A task that was given up is never sent. The committer changes sending back to
	// waiting if nothing was written.
	state atomic.Int32
	// base is the version that the last request for the task is conditional on; nil if the task was never claimed.
	base atomic.Pointer[eval.Version]
	// wasRefused: a request was refused because the object had changed or the API server was too busy.
	wasRefused atomic.Bool
	// attempts and batchSize are for the trace. They are atomic because a caller that gives up reads them while the
	// committer counts.
	attempts, batchSize atomic.Int64

	// Only the committer's goroutine uses these.
	foundNone bool // of a creation: the API server answered that the object exists, and the read after it found none
	maxBatch  int  // how many tasks a request with this task may have
	// unknownEarlier says why the outcome of an earlier request of a computed key is unknown; nil if there was none.
	// From then on the verdict of the task is applied or unknown.
	unknownEarlier error
	answered       bool

	// The committer's answer, which is valid once done is closed.
	done     chan struct{}
	snapshot *eval.Snapshot
	decision eval.Decision // of a check
	result   TxnResult
	err      error

	// ownRead contains the caller's own read, which the caller makes if the committer does not answer in time.
	ownRead *eval.Snapshot
}

const (
	waiting int32 = iota
	sending
	givenUp
)

func newTask(ctx context.Context, client *wire.Client, kind taskKind, ref eval.Ref, op operation) *task {
	return &task{
		operation: op, ctx: ctx, client: client, kind: kind, ref: ref, requestedAt: client.Now(),
		maxBatch: maxTasks, done: make(chan struct{}),
	}
}

// answer ends the task. A task that has an answer keeps it. After a lost response, an error becomes an *UnknownError.
func (t *task) answer(err error) {
	if t.answered {
		return
	}
	if err != nil && t.unknownEarlier != nil && eval.VerdictOf(err) != eval.Unknown {
		if canceled := (*eval.CanceledError)(nil); errors.As(err, &canceled) { // it says that nothing was written
			err = noAnswer(t.ctx)
		}
		err = t.unknown(errors.Join(t.unknownEarlier, err))
	}
	t.err, t.answered = err, true
	close(t.done)
}

// claim reports whether the write may be sent: its caller has not given up, or waits for the outcome of an
// earlier request anyway.
func (t *task) claim(base eval.Version) bool {
	if t.unknownEarlier == nil && !t.state.CompareAndSwap(waiting, sending) {
		return false
	}
	t.base.Store(&base)
	return true
}

// release records that nothing of the task was written, so that its caller may give up at once again. After a
// lost response, and once the task has its answer, that is not so, and release does nothing.
func (t *task) release() {
	if t.unknownEarlier == nil && !t.answered {
		t.state.CompareAndSwap(sending, waiting)
	}
}

// canceled returns the error of a task whose caller has given up. Nothing was written.
func (t *task) canceled() error {
	return &eval.CanceledError{Ref: t.ref, Host: t.client.Host, Err: context.Cause(t.ctx), Retried: t.wasRefused.Load()}
}

// unknown returns the error of a task whose outcome is unknown.
func (t *task) unknown(err error) error {
	return &eval.UnknownError{Ref: t.ref, Base: *t.base.Load(), Err: err}
}

// errLate ends the wait of an Observe call.
var errLate = errors.New("the committer is busy with other tasks")

// wait returns the committer's answer, or gives up after the caller's context ended: at once if nothing was
// sent, and otherwise when the grace is over. An Observe call waits for Fresh at most.
func (t *task) wait(grace time.Duration) error {
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
		return t.canceled()
	}
	end := time.NewTimer(grace)
	defer end.Stop()
	select {
	case <-t.done:
		return t.err
	case <-end.C:
		return t.unknown(noAnswer(t.ctx))
	}
}

// anyCaller returns a context that ends when the contexts of all tasks have ended, with the cause of the last
// one.
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

// noAnswer returns the reason why the callers, whose contexts have ended, wait no longer.
func noAnswer(callers context.Context) error {
	if errors.Is(context.Cause(callers), context.DeadlineExceeded) {
		return errNoAnswer
	}
	return errInterrupted
}

// withGrace returns a context that ends with parent, or else a while after callers ends. If callers has
// already ended, the while begins now.
func withGrace(parent, callers context.Context, while time.Duration) (context.Context, context.CancelFunc) {
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
