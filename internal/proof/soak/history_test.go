package soak

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// op is one thing that a worker did to one key, or to several at once: a line of a history when it is asked for, and another when it is answered.
type op struct {
	Worker    string // also its field manager
	ID        int    // of this worker's
	Kind      kind
	ConfigMap string
	Key       string
	Call      int64 // by now
	Return    int64 `json:",omitempty"` // 0 while there is no answer

	Expect     eval.Value
	New        eval.Value
	Held       eval.IfEqual   `json:",omitempty"`
	GoneIsDone bool           `json:",omitempty"`
	At         []eval.Version `json:",omitempty"`
	Seen       eval.Version
	Also       []keyPart `json:",omitempty"` // the other keys
	Creates    bool      `json:",omitempty"` // the ConfigMap, with all its keys

	Verdict eval.Verdict `json:",omitempty"`
	// Reason of a conflict, and the reasons of the keys that it names.
	Reason eval.Reason            `json:",omitempty"`
	Failed map[string]eval.Reason `json:",omitempty"`
	// Version was read, or returned by an applied swap, or shows the conflict.
	Version eval.Version
	// Live is the value of the key at Version.
	Live       eval.Value
	Previous   eval.Value
	Wrote      bool         `json:",omitempty"`
	Base       eval.Version // of an unknown one
	Number     int64        `json:",omitempty"` // that was taken or, of an unknown take, that it would be
	Allocation string       `json:",omitempty"` // the id of a pool's
	// Lost: a response about the ConfigMap was lost while the operation was under way.
	Lost bool   `json:",omitempty"`
	Err  string `json:",omitempty"`

	isLater bool // the worker received a later version than Version
}

type kind string

const (
	swapOp  kind = "swap"
	readOp  kind = "read"  // linearizable
	writeOp kind = "write" // whatever the key held
	takeOp  kind = "take"  // of a number
	giveOp  kind = "give"  // of a number that was taken from a pool

	removeOp kind = "remove" // of the whole ConfigMap, where it is what Key expects

	request kind = "request" // no operation: one was sent
)

// never is the time at which a swap without a true answer returns.
const never = math.MaxInt64

// now reads a clock that all processes of a machine share and that is never set.
func now() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		panic(err) // every system has this clock
	}
	return t.Nano()
}

// journal writes a worker's lines.
type journal struct {
	mu   sync.Mutex
	w    io.Writer
	next int
	err  error
}

// sent writes that a request is about to be sent.
func (j *journal) sent() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.write(&op{Kind: request})
}

// call writes that an operation begins. The time is taken before the line is written.
func (j *journal) call(o *op) {
	j.mu.Lock()
	defer j.mu.Unlock()
	o.ID = j.next
	j.next++
	o.Call = now()
	j.write(o)
}

// answered writes what an operation was answered. The time is taken first.
func (j *journal) answered(o *op) {
	o.Return = now()
	j.mu.Lock()
	defer j.mu.Unlock()
	j.write(o)
}

func (j *journal) write(o *op) {
	line, err := json.Marshal(o)
	if err == nil {
		_, err = j.w.Write(append(line, '\n'))
	}
	if err != nil {
		j.err = err
	}
}

// history contains one op for each operation of all workers.
type history []*op

// in is the part about one ConfigMap.
func (h history) in(configMap string) history {
	var part history
	for _, o := range h {
		if o.ConfigMap == configMap {
			part = append(part, o)
		}
	}
	return part
}

// wroteKey reports whether the operation certainly changed its keys.
func (o *op) wroteKey() bool { return o.Kind != readOp && o.Verdict == eval.Applied && o.Wrote }

// mayHaveWritten reports whether the operation has an unknown outcome.
func (o *op) mayHaveWritten() bool { return o.Kind != readOp && o.Verdict == eval.Unknown }

// madeAt returns a copy of the operation that has the version that it made, instead of a later one.
func (o *op) madeAt(told, made state) *op {
	earlier := *o
	earlier.Version, earlier.isLater, earlier.Also = made.version, true, slices.Clone(o.Also)
	move := func(key string, live *eval.Value) {
		if *live == told.entries[key] {
			*live = made.entries[key]
		}
	}
	move(o.Key, &earlier.Live)
	for i, p := range earlier.Also {
		move(p.Key, &earlier.Also[i].Live)
	}
	return &earlier
}

// endsLineage reports whether the engine may begin a new lineage with the write.
func (o *op) endsLineage() bool { return o.Lost || o.isLater }

func (o *op) String() string {
	s := fmt.Sprintf("%s #%d %s %s/%s %s -> %s: %s", o.Worker, o.ID, o.Kind, o.ConfigMap, o.Key, show(o.Expect), show(o.New), o.Verdict)
	if o.Verdict == eval.Conflict {
		s += fmt.Sprintf(" (reason %d)", o.Reason)
	}
	for _, p := range o.Also {
		s += fmt.Sprintf(", %s %s -> %s (guard %t, held %d; was %s, is %s)", p.Key, show(p.Expect), show(p.New), p.IsGuard, p.Held, show(p.Previous), show(p.Live))
	}
	if o.Kind == takeOp {
		s += fmt.Sprintf(" %d on %s", o.Number, o.Base.ResourceVersion)
	}
	if o.Allocation != "" {
		s += fmt.Sprintf(" %d as %s", o.Number, o.Allocation)
	}
	for _, at := range o.At {
		s += " at " + at.ResourceVersion
	}
	return fmt.Sprintf("%s version %s, wrote %v, lost %v %s", s, o.Version.ResourceVersion, o.Wrote, o.Lost, o.Err)
}

// show is an entry in a line of a failure.
func show(e eval.Value) string {
	if v, ok := e.Text(); ok {
		return v
	}
	if v, ok := e.Binary(); ok {
		return fmt.Sprintf("%q", v)
	}
	return "nothing"
}

// figures is how often each verdict was given to the engines' swaps.
type figures struct {
	verdicts map[eval.Verdict]int
	all      int
	txns     int // of several keys
}

// isEngines tells a swap that an engine was asked for.
func (o *op) isEngines() bool { return o.Kind == swapOp && !strings.HasPrefix(o.Worker, string(plain)) }

func count(h history) figures {
	n := figures{verdicts: map[eval.Verdict]int{}}
	for _, o := range h {
		if o.isEngines() {
			n.all++
			n.verdicts[o.Verdict]++
			if len(o.Also) > 0 {
				n.txns++
			}
		}
	}
	return n
}

func (n figures) String() string {
	return fmt.Sprintf("%d swaps (%d of several keys), %d applied, %d conflict, %d rejected, %d unknown (%.1f%%)",
		n.all, n.txns, n.verdicts[eval.Applied], n.verdicts[eval.Conflict], n.verdicts[eval.Rejected], n.verdicts[eval.Unknown],
		100*float64(n.verdicts[eval.Unknown])/float64(max(n.all, 1)))
}

// takings is how often each verdict was given to takes, and what they made of the counters.
type takings struct {
	verdicts map[eval.Verdict]int
	all      int
	takers   int // applied, of those who take numbers and do nothing else
	numbers  int // gone
	versions int // that gave them
	several  int // of those, that gave more than one
	shared   int // and that changed other keys too
}

func countTakes(h history, states map[string][]state) takings {
	n := takings{verdicts: map[eval.Verdict]int{}}
	for _, o := range h {
		if o.Kind == takeOp {
			n.all++
			n.verdicts[o.Verdict]++
			if o.Verdict == eval.Applied && strings.HasPrefix(o.Worker, string(taker)) {
				n.takers++
			}
		}
	}
	for _, all := range states {
		a := &account{states: all}
		for i := 1; i < len(all); i++ {
			touched := a.touched(i)
			if from, to, _ := a.step(i); touched[counterKey] {
				n.numbers += int(to - from)
				n.versions++
				n.several += min(int(to-from)-1, 1)
				n.shared += min(len(touched)-1, 1)
			}
		}
	}
	return n
}

func (n takings) String() string {
	return fmt.Sprintf("%d takes, %d applied, %d rejected, %d unknown of which %d landed; %d versions gave numbers, %d of them several, %d with other changes",
		n.all, n.verdicts[eval.Applied], n.verdicts[eval.Rejected], n.verdicts[eval.Unknown], n.numbers-n.verdicts[eval.Applied], n.versions,
		n.several, n.shared)
}
