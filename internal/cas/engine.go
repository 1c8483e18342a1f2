package cas

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

// Grace is how long a write that was sent may go on after its caller's context ended, so that the engine can
// determine the verdict.
const Grace = 5 * time.Second

// Fresh is the greatest age of a state with which a check succeeds. An object stays in memory that long after
// its last use.
const Fresh = time.Second

// Engine reads and writes keys of ConfigMaps and Secrets, and fields of objects of any kind, on one API
// server. It is safe for concurrent use. A process must use one Engine for a cluster: its chains
// distinguish the writes of this process from those of other writers.
type Engine struct {
	client     *wire.Client
	trace      func(context.Context, Event)
	limits     limits
	hasWritten atomic.Bool

	closing context.Context // ended by Close
	close   context.CancelCauseFunc
	work    sync.WaitGroup // calls, and committers that are busy

	mu         sync.Mutex // guards names and committers
	names      map[eval.Ref]func() []string
	committers map[eval.Ref]*committer
}

// limits bound how long the engine works on a write of unknown outcome. Tests raise them, so that a slow
// machine changes no verdict.
type limits struct {
	grace  time.Duration // as Grace
	read   time.Duration // for one read after all callers have given up; a write ends that much earlier
	settle time.Duration // from the first lost response until the verdict is unknown, not counting failed reads
}

var defaultLimits = limits{grace: Grace, read: time.Second, settle: 5 * time.Second}

// ErrClosed is the cause with which Close cancels calls.
var ErrClosed = errors.New("the engine was closed")

// Event describes a call that ended, for a trace. It contains no values.
type Event struct {
	Operation string // "swap", "create", "remove", "check", "observe" or "list"
	Ref       eval.Ref
	Key       string       // several keys have commas between them; empty if the call is not about keys
	Attempts  int          // requests that were sent for the call, shared ones included
	Batch     int          // transactions in the last request
	Verdict   eval.Verdict // of a check, the verdict of its write; of an Observe call, applied if it succeeded
	Duration  time.Duration
}

// New returns an Engine. It sends no request. trace, if not nil, is called for each call that ends, with the
// context and by the goroutine of the call.
func New(config *rest.Config, trace func(context.Context, Event)) (*Engine, error) {
	c, err := wire.New(config)
	if err != nil {
		return nil, err
	}
	e := &Engine{
		client: c, trace: trace, limits: defaultLimits,
		names: map[eval.Ref]func() []string{}, committers: map[eval.Ref]*committer{},
	}
	e.closing, e.close = context.WithCancelCause(context.Background())
	return e, nil
}

// Close cancels all calls, as the end of their contexts does, and returns when no request is under way, at
// most Grace later. Later calls are rejected with a *CanceledError that wraps ErrClosed.
func (e *Engine) Close() {
	e.mu.Lock()
	e.close(ErrClosed) // no call begins afterwards
	e.mu.Unlock()
	e.work.Wait()
}

// TxnResult is the result of a write that was applied.
type TxnResult struct {
	// After is the object after the write: the response to the write, or the read that showed that the write was applied
	// or not needed. It differs from what was sent if admission changed the write.
	After *eval.Snapshot
	// Previous has the values of the named keys before the write and, for values in documents, the texts.
	Previous map[string]eval.Value
	// Stored has the values of the named keys after the write, as in After. If later transactions of the same request
	// computed a key further, it has the value after this transaction alone.
	Stored map[string]eval.Value
	// IsShared is true if other writers may have changed the object between the write and After, as after a lost response.
	// Stored then has the compared and adopted keys as they were before the write.
	IsShared bool
	// Appliers has the managers that applied the written and adopted keys before the write, except for the field manager
	// of the write.
	Appliers map[string]eval.Applier
	// Wrote is false if no write was needed, or if another writer may have deleted the object. It is true for a removal
	// of keys whose response was lost, even if another writer removed the keys.
	Wrote bool
}

// addApplier records the manager that applied a key, if there is one. A document is not handed back: its text has the
// values of several resources.
func (r *TxnResult) addApplier(before *eval.Snapshot, key, manager string) {
	applier := before.Applier(key, manager)
	if _, _, isDocument := eval.DocumentPath(key); isDocument || applier == nil {
		return
	}
	if r.Appliers == nil {
		r.Appliers = map[string]eval.Applier{}
	}
	r.Appliers[key] = *applier
}

// Commit writes the keys of t in one atomic request if every expectation holds. VerdictOf returns the
// verdict: nil is applied; a *ConflictError is a conflict, which a linearizable read that began after the
// call shows; an *UnknownError is unknown; any other error is rejected. If ctx ends before the write is sent,
// nothing is written. After that, Commit returns the verdict of the write, at most Grace later.
func (e *Engine) Commit(ctx context.Context, t *eval.Txn) (TxnResult, error) {
	return e.write(newTask(ctx, e.client.As(t.Ref, t.APIVersion), writeTask, t.Ref, operation{txn: t.Stored()}))
}

// Create creates an object, with the verdicts of Commit. An object that already exists is a conflict, with an
// *ExistsError. TxnResult.After is the new object.
func (e *Engine) Create(ctx context.Context, n *eval.Creation) (TxnResult, error) {
	return e.write(newTask(ctx, e.client, writeTask, n.Ref, operation{create: n.Stored()}))
}

// Remove deletes an object, with the verdicts of Commit.
func (e *Engine) Remove(ctx context.Context, r *eval.Removal) (TxnResult, error) {
	return e.write(newTask(ctx, e.client, writeTask, r.Ref, operation{remove: r}))
}

// HandBack returns the ownership of keys in managedFields to the managers that applied them, in one request that
// changes no value. The request is conditional on the version, and extends the chain. Callers may ignore the error:
// without the change, the next apply of such a manager conflicts.
func (e *Engine) HandBack(ctx context.Context, h *eval.HandBack) error {
	_, err := e.write(newTask(ctx, e.client.As(h.Ref, h.APIVersion), writeTask, h.Ref, operation{handBack: h}))
	return err
}

func (e *Engine) write(t *task) (TxnResult, error) {
	e.hasWritten.Store(true)
	if err := e.do(t); err != nil {
		return TxnResult{}, err
	}
	return t.result, nil
}

// CheckMode decides whether a check sends the write to the API server as a dry run.
type CheckMode bool

const (
	// ReadOnly evaluates the write on a read.
	ReadOnly CheckMode = false
	// DryRun also sends the write as a dry run, which shows what the API server would refuse because of a permission,
	// admission or a quota.
	DryRun CheckMode = true
)

// Check returns the error with which Commit would refuse t, without writing, or else the object. Success may
// rest on a state that is up to Fresh old. A refusal rests on a read that began after the call.
func (e *Engine) Check(ctx context.Context, t *eval.Txn, how CheckMode) (*eval.Snapshot, error) {
	return e.check(ctx, how, e.client.As(t.Ref, t.APIVersion), t.Ref, operation{txn: t.Stored()})
}

// CheckCreate is Check for Create.
func (e *Engine) CheckCreate(ctx context.Context, n *eval.Creation, how CheckMode) (*eval.Snapshot, error) {
	return e.check(ctx, how, e.client, n.Ref, operation{create: n.Stored()})
}

// CheckRemove is Check for Remove.
func (e *Engine) CheckRemove(ctx context.Context, r *eval.Removal, how CheckMode) (*eval.Snapshot, error) {
	return e.check(ctx, how, e.client, r.Ref, operation{remove: r})
}

// check evaluates a write and, with DryRun, sends the write as a dry run, alone: nothing is stored, so no other write
// depends on it. If the object has changed since, check evaluates the write again.
func (e *Engine) check(
	ctx context.Context, how CheckMode, client *wire.Client, ref eval.Ref, op operation,
) (*eval.Snapshot, error) {
	begun := e.client.Now()
	var evaluated *eval.Snapshot
	err := e.call(ctx, ref, func(ctx context.Context) (err error) {
		var t *task
		defer func() { e.traceEnd(t, begun, err) }()
		var refused *eval.Version // the version on which the API server refused the precondition
		maxAge, requests, backoff := Fresh, int64(0), wire.NewBackoff(20*time.Millisecond, time.Second)
		for {
			t = newTask(ctx, client, checkTask, ref, op)
			t.maxAge = maxAge
			t.attempts.Store(requests)
			if err := e.committer(ref).do(t); err != nil {
				return err // without t.snapshot: if the caller has given up, the committer may still write it
			}
			evaluated = t.snapshot
			if _, err := evaluated.Texts(t.decision.Changes); err != nil { // documents may not permit the write
				if maxAge == 0 {
					return err
				}
				maxAge, requests = 0, t.attempts.Load() // a refusal needs a new read
				continue
			}
			if how == ReadOnly || t.decision.Action != eval.Write {
				return nil
			}
			r := &request{
				verb: t.verb(), client: client, base: evaluated, tasks: []*task{t}, changes: t.decision.Changes, isDry: true,
			}
			requests = t.attempts.Add(1)
			t.batchSize.Store(1)
			_, outcome, err := r.send(ctx)
			if ref.Kind.Hides() {
				wire.Withhold(err)
			}
			base := evaluated.Version()
			isSame := refused != nil && *refused == base
			switch {
			case outcome == wire.Applied:
				return nil
			case ctx.Err() != nil:
				return &eval.CanceledError{Ref: ref, Host: e.client.Host, Err: context.Cause(ctx)}
			case outcome == wire.PreconditionFailed && !isSame:
				refused = &base
			case outcome != wire.Throttled: // a webhook may refuse with 409 as well
				return client.Explain(err, ref, r.verb)
			}
			maxAge = 0
			wire.Pause(ctx, &backoff, err)
		}
	})
	if err != nil {
		return nil, err
	}
	return evaluated, nil
}

// Observe returns a state of the object that was read less than maxAge ago. With 0, the read begins after the
// call. apiVersion is the API version of the object, such as "apps/v1". It may be empty for a ConfigMap and a
// Secret.
func (e *Engine) Observe(
	ctx context.Context, ref eval.Ref, apiVersion string, maxAge time.Duration,
) (*eval.Snapshot, error) {
	t := newTask(ctx, e.client.As(ref, apiVersion), observeTask, ref, operation{})
	t.maxAge = maxAge
	if err := e.do(t); err != nil {
		return nil, err
	}
	if t.ownRead != nil {
		return t.ownRead, nil
	}
	return t.snapshot, nil
}

// LacksNamespace reports whether the API server answers that a namespace is missing. It needs the verb get on
// namespaces, and returns false without it.
func (e *Engine) LacksNamespace(ctx context.Context, name string) (lacks bool) {
	_ = e.call(ctx, eval.Ref{Namespace: name}, func(ctx context.Context) error { // after an error, it is not known
		lacks = e.client.LacksNamespace(ctx, name)
		return nil
	})
	return lacks
}

// Names returns names of objects of the kind and the namespace of ref, for error messages only: the objects
// that existed at the first call, at most 5,000. It needs the verb list, and returns none without it.
// apiVersion is the version of the kind; empty for ConfigMaps and Secrets.
func (e *Engine) Names(ctx context.Context, ref eval.Ref, apiVersion string) (names []string) {
	ref.Name = ""
	e.mu.Lock()
	once := e.names[ref]
	if once == nil {
		once = sync.OnceValue(func() []string {
			_ = e.call(ctx, ref, func(ctx context.Context) error { // after an error, there are no names
				names = e.client.As(ref, apiVersion).Names(ctx, ref)
				return nil
			})
			return names
		})
		e.names[ref] = once
	}
	e.mu.Unlock()
	return once()
}

// Host returns the URL of the API server.
func (e *Engine) Host() string { return e.client.Host }

// HasWritten reports whether a write was ever requested, so that this process is an apply.
func (e *Engine) HasWritten() bool { return e.hasWritten.Load() }

func (e *Engine) do(t *task) error {
	return e.call(t.ctx, t.ref, func(ctx context.Context) error {
		t.ctx = ctx
		err := e.committer(t.ref).do(t)
		e.traceEnd(t, t.requestedAt, err)
		return err
	})
}

// traceEnd traces the end of a call, which t is the last task of.
func (e *Engine) traceEnd(t *task, begun time.Time, err error) {
	if e.trace == nil {
		return
	}
	keys := ""
	if t.txn != nil {
		keys = t.txn.KeyNames()
	}
	e.trace(t.ctx, Event{
		Operation: t.name(),
		Ref:       t.ref,
		Key:       keys,
		Attempts:  int(t.attempts.Load()),
		Batch:     int(t.batchSize.Load()),
		Verdict:   eval.VerdictOf(err),
		Duration:  e.client.Now().Sub(begun),
	})
}

// call runs do with a context that Close cancels, and Close waits until do returns. Only calls and committers
// send requests.
func (e *Engine) call(ctx context.Context, ref eval.Ref, do func(context.Context) error) error {
	e.mu.Lock()
	if e.closing.Err() != nil {
		e.mu.Unlock()
		return &eval.CanceledError{Ref: ref, Host: e.client.Host, Err: ErrClosed}
	}
	e.work.Add(1)
	e.mu.Unlock()
	defer e.work.Done()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer context.AfterFunc(e.closing, func() { end(ErrClosed) })()
	err := do(ctx)
	if canceled := (*eval.CanceledError)(nil); errors.As(err, &canceled) {
		canceled.Plugin = e.client.Awaited()
	}
	return err
}

func (e *Engine) committer(ref eval.Ref) *committer {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.committers[ref]
	if c == nil {
		c = &committer{engine: e, ref: ref, arrived: make(chan struct{}, 1)}
		e.committers[ref] = c
	}
	return c
}
