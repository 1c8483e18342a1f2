package cas

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

// Grace is how long after its caller's context has ended a write that was sent may go on, so that its verdict is
// found out.
const Grace = 5 * time.Second

// Fresh is the greatest age of a state that answers an observation or a check.
const Fresh = time.Second

// Engine swaps entries of ConfigMaps and Secrets, and fields of objects of any kind, of one API server. It is safe for concurrent use. All that one process does to
// one cluster has to go through one Engine: its lineage is what tells own writes from foreign ones.
type Engine struct {
	client  *wire.Client
	trace   func(context.Context, Event)
	limits  limits
	swapped atomic.Bool

	closing context.Context // ends when Close is called
	close   context.CancelCauseFunc
	work    sync.WaitGroup // calls, and committers that are busy

	names      sync.Map // of func() []string, by what they are of: a Ref without a name
	mu         sync.Mutex
	committers map[Ref]*committer
}

// limits bound how long the engine works on a write of unknown outcome. Tests raise them, so that a slow machine changes no verdict.
type limits struct {
	grace    time.Duration // as Grace
	looking  time.Duration // bounds one read after all callers have given up; a write ends that much earlier
	patience time.Duration // after that time since the first lost response, without failed reads, the verdict is unknown
}

var defaultLimits = limits{grace: Grace, looking: time.Second, patience: 5 * time.Second}

// ErrClosed is the cause with which Close ends calls.
var ErrClosed = errors.New("the engine was closed")

// Event describes a call that has ended, for a trace. It never holds values.
type Event struct {
	Operation string // "swap", "create", "remove", "check", "rehearse", "observe" or "list"
	Ref       Ref
	Key       string  // several with commas between; empty where it is not about keys
	Attempts  int     // requests that were sent for it, those that it shared included
	Batch     int     // swaps in the last of them
	Verdict   Verdict // of a check, the one that the swap would have had; of an observation, applied where it was made
	Duration  time.Duration
}

// New makes an Engine. It sends no request. trace, where it is not nil, is called with the context of each call that
// ends, by the goroutine that made the call.
func New(config *rest.Config, trace func(context.Context, Event)) (*Engine, error) {
	c, err := wire.New(config)
	if err != nil {
		return nil, err
	}
	e := &Engine{client: c, trace: trace, limits: defaultLimits, committers: map[Ref]*committer{}}
	e.closing, e.close = context.WithCancelCause(context.Background())
	return e, nil
}

// Close ends all calls as the end of their contexts does, and returns when no request is under way any more, at most
// Grace later. What is called afterwards is rejected with a *CanceledError of ErrClosed.
func (e *Engine) Close() {
	e.mu.Lock()
	e.close(ErrClosed) // no call begins any more
	e.mu.Unlock()
	e.work.Wait()
}

// TxnResult is what became of a Txn that was applied.
type TxnResult struct {
	// After is the object after it: the write's own answer, or the read that showed that none was needed. What it holds differs
	// from what was asked for where admission changed it.
	After *Observation
	// Previous is what the keys that were named held before.
	Previous map[string]Entry
	// Stored is what they hold after it, as After shows; or a key that is computed, and that others of the same request have
	// computed further, after it alone.
	Stored map[string]Entry
	// Wrote is false where no write was needed.
	Wrote bool
}

// Commit writes all of t, in one atomic request, if everything holds that it expects. VerdictOf tells from the error how it
// ended: nil is applied; a *ConflictError, told from a linearizable read that began after Commit was called; an *UnknownError;
// any other type is rejected. When ctx ends before the write was sent, nothing is written; after that Commit returns with
// the write's verdict, at most Grace later.
func (e *Engine) Commit(ctx context.Context, t *Txn) (TxnResult, error) {
	return e.write(e.newTxnTask(ctx, writeTask, t))
}

// Create makes an object, with the verdicts of Commit; what exists already is a conflict, and an *ExistsError. After is what was
// made.
func (e *Engine) Create(ctx context.Context, n *Creation) (TxnResult, error) {
	t := e.newTask(ctx, writeTask, n.Ref)
	t.create = n.Stored()
	return e.write(t)
}

// Remove deletes an object, with the verdicts of Commit.
func (e *Engine) Remove(ctx context.Context, r *Removal) (TxnResult, error) {
	t := e.newTask(ctx, writeTask, r.Ref)
	t.remove = r
	return e.write(t)
}

func (e *Engine) write(t *task) (TxnResult, error) {
	e.swapped.Store(true)
	if err := e.do(t); err != nil {
		return TxnResult{}, err
	}
	return t.result, nil
}

// CheckMode says whether a check sends what it is about to the API server, as a dry run.
type CheckMode bool

const (
	// ReadOnly judges on a read alone.
	ReadOnly CheckMode = false
	// DryRun also sends the write as a dry run, and so tells all that the API server would refuse: for want of a permission, by
	// admission, for a quota.
	DryRun CheckMode = true
)

// Check reports whether Commit would be refused, without writing, and what the object looks like. What it reports as
// fine may be up to Fresh old; a refusal comes from a read that began after the call.
func (e *Engine) Check(ctx context.Context, t *Txn, how CheckMode) (*Observation, error) {
	return e.look(e.newTxnTask(ctx, how.kind(), t))
}

// CheckCreate is Check of what Create does.
func (e *Engine) CheckCreate(ctx context.Context, n *Creation, how CheckMode) (*Observation, error) {
	t := e.newTask(ctx, how.kind(), n.Ref)
	t.create = n.Stored()
	return e.look(t)
}

// CheckRemove is Check of what Remove does.
func (e *Engine) CheckRemove(ctx context.Context, r *Removal, how CheckMode) (*Observation, error) {
	t := e.newTask(ctx, how.kind(), r.Ref)
	t.remove = r
	return e.look(t)
}

func (r CheckMode) kind() taskKind {
	if r == DryRun {
		return rehearseTask
	}
	return checkTask
}

// Observe reads the object, or gives what was observed at most maxAge ago. With 0 the read begins after the call.
func (e *Engine) Observe(ctx context.Context, ref Ref, maxAge time.Duration) (*Observation, error) {
	return e.ObserveFields(ctx, ref, "", maxAge)
}

// ObserveFields is Observe of an object of any kind, in a version of its API, as "apps/v1", of which [Observation.Field] tells the fields.
func (e *Engine) ObserveFields(ctx context.Context, ref Ref, apiVersion string, maxAge time.Duration) (*Observation, error) {
	t := e.newTask(ctx, observeTask, ref)
	t.client = t.client.As(apiVersion)
	t.maxAge = maxAge
	return e.look(t)
}

func (e *Engine) look(t *task) (*Observation, error) {
	if t.kind != observeTask {
		t.maxAge = Fresh
	}
	if err := e.do(t); err != nil {
		return nil, err
	}
	if t.own != nil {
		return t.own, nil
	}
	return t.observed, nil
}

// LacksNamespace reports whether a namespace is known not to exist. It needs the verb get on namespaces, and is false without it.
func (e *Engine) LacksNamespace(ctx context.Context, name string) (lacks bool) {
	_ = e.call(ctx, Ref{Namespace: name}, func(ctx context.Context) error { // an error lets us know nothing
		lacks = e.client.LacksNamespace(ctx, name)
		return nil
	})
	return lacks
}

// Names gives names of objects of one's kind, in its namespace, for words alone: what was there when it was first asked, up to 5,000. It needs the verb list, and gives
// none without it. apiVersion is that of the kind; empty for ConfigMaps and Secrets.
func (e *Engine) Names(ctx context.Context, ref Ref, apiVersion string) (names []string) {
	ref.Name = ""
	asked, _ := e.names.LoadOrStore(ref, sync.OnceValue(func() []string {
		_ = e.call(ctx, ref, func(ctx context.Context) error { // an error lets us know nothing
			names = e.client.As(apiVersion).Names(ctx, ref)
			return nil
		})
		return names
	}))
	once, _ := asked.(func() []string) // nothing else is in it
	return once()
}

// Host is the API server that the Engine asks.
func (e *Engine) Host() string { return e.client.Host }

// HasSwapped reports whether a write was ever asked for: whether this process is applying.
func (e *Engine) HasSwapped() bool { return e.swapped.Load() }

func (e *Engine) do(t *task) error {
	return e.call(t.ctx, t.ref, func(ctx context.Context) error {
		t.ctx = ctx
		err := e.committer(t.ref).do(t)
		if e.trace != nil {
			keys := ""
			if t.txn != nil {
				keys = t.txn.KeyNames()
			}
			e.trace(ctx, Event{
				Operation: t.operation(),
				Ref:       t.ref,
				Key:       keys,
				Attempts:  int(t.attempts.Load()),
				Batch:     int(t.company.Load()),
				Verdict:   VerdictOf(err),
				Duration:  e.client.Now().Sub(t.asked),
			})
		}
		return err
	})
}

// call does something that Close ends, and waits for. All that sends a request is in one.
func (e *Engine) call(ctx context.Context, ref Ref, do func(context.Context) error) error {
	e.mu.Lock()
	if e.closing.Err() != nil {
		e.mu.Unlock()
		return &CanceledError{Ref: ref, Host: e.client.Host, Err: ErrClosed}
	}
	e.work.Add(1)
	e.mu.Unlock()
	defer e.work.Done()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer context.AfterFunc(e.closing, func() { end(ErrClosed) })()
	err := do(ctx)
	if canceled := (*CanceledError)(nil); errors.As(err, &canceled) {
		canceled.Plugin = e.client.Awaited()
	}
	return err
}

func (e *Engine) newTask(ctx context.Context, kind taskKind, ref Ref) *task {
	t := newTask(ctx, kind, ref, e.client.Now())
	t.client = e.client
	return t
}

func (e *Engine) newTxnTask(ctx context.Context, kind taskKind, txn *Txn) *task {
	t := e.newTask(ctx, kind, txn.Ref)
	t.txn, t.client = txn.Stored(), e.client.As(txn.APIVersion)
	return t
}

func (e *Engine) committer(ref Ref) *committer {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.committers[ref]
	if c == nil {
		c = &committer{engine: e, client: e.client, ref: ref, arrived: make(chan struct{}, 1)}
		e.committers[ref] = c
	}
	return c
}
