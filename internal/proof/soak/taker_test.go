package soak

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

const (
	// counterKey is the key that numbers are taken from, and that nobody swaps.
	counterKey = "n"
	// firstNumber is the number of an absent counterKey. No number is 0.
	firstNumber = 1
)

// numberIn returns the number in an entry of the counter's key.
func numberIn(e eval.Value) (int64, error) {
	if e.IsAbsent() {
		return firstNumber, nil
	}
	v, _ := e.Text()
	return strconv.ParseInt(v, 10, 64)
}

// number returns the entry of the counter's key for a number.
func number(n int64) eval.Value { return eval.Text(strconv.FormatInt(n, 10)) }

// engineTaker takes numbers, several at once, and looks at the counter between.
type engineTaker struct {
	*worker
	engine *cas.Engine
}

func (t *engineTaker) loop(_ int, draw *rand.Rand) {
	for t.stop.Err() == nil {
		configMap := t.ConfigMaps[draw.IntN(len(t.ConfigMaps))]
		if draw.IntN(8) == 0 {
			t.look(draw, configMap)
		} else {
			t.takeNumber(draw, t.engine, configMap)
		}
		time.Sleep(time.Duration(draw.Int64N(int64(10 * time.Millisecond)))) // others are to come to their turn
	}
}

// look reads the counter.
func (t *engineTaker) look(draw *rand.Rand, configMap string) {
	read := &op{Kind: readOp, ConfigMap: configMap, Key: counterKey, Verdict: eval.Rejected}
	ctx, cancel := t.context(draw)
	defer cancel()
	t.begin(read)
	o, err := t.engine.Observe(ctx, t.ref(configMap), "", 0)
	if err == nil && o.Exists() {
		read.Verdict, read.Version, read.Live = eval.Applied, o.Version(), o.Value(counterKey)
	}
	t.end(read)
}

// takeNumber takes the next number of a ConfigMap's counter.
func (w *worker) takeNumber(draw *rand.Rand, engine *cas.Engine, configMap string) {
	o := &op{Kind: takeOp, ConfigMap: configMap, Key: counterKey}
	ctx, cancel := w.context(draw)
	defer cancel()
	w.begin(o)
	taken, err := engine.Take(ctx, cas.Counter{
		Ref: w.ref(configMap), Key: counterKey, Initial: firstNumber, Step: 1, FieldManager: w.Name,
	})
	o.Verdict = eval.VerdictOf(err)
	var unknown *eval.UnknownError
	switch {
	case err == nil:
		o.Number, o.New, o.Live, o.Wrote = taken.Number, taken.Sent, taken.Stored, true
	case errors.As(err, &unknown):
		o.Base = unknown.Base
	}
	if err != nil {
		o.Err = err.Error()
	}
	w.end(o)
	if err != nil {
		w.pause()
	}
}

// context is that of one call of an engine.
func (w *worker) context(draw *rand.Rand) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(context.Background(), w.Deadline)
	if w.Cancel && draw.IntN(2) == 0 {
		time.AfterFunc(time.Duration(draw.Int64N(int64(30*time.Millisecond))), cancel)
	}
	return ctx, cancel
}

// gone records the known numbers: the numbers that callers received, and a next number that is above all numbers
// that were seen.
type gone struct {
	told map[int64]bool
	next int64
}

func goneIn(h history) *gone {
	g := &gone{told: map[int64]bool{}}
	for _, o := range h {
		switch {
		case o.Key != counterKey || o.Verdict != eval.Applied:
		case o.Kind == takeOp:
			g.told[o.Number] = true
			g.next = max(g.next, o.Number+1)
		case o.Kind == readOp:
			n, _ := numberIn(o.Live)
			g.next = max(g.next, n)
		}
	}
	return g
}

// take reports whether a take can have this answer at this value of the counter, and returns the value that it
// leaves. The checker tries an unknown take at all times. Three rules reduce the search. An unknown take takes no
// number that another take received. It does not give up its own number before the counter has passed it. It takes
// no number above all that were seen: that is the same as no write.
func (c *call) take(is eval.Value) (bool, eval.Value) {
	n, err := numberIn(is)
	isNext := c.Number == n || c.Number == 0 // a take of a killed process received no number
	switch {
	case err != nil:
		return false, is
	case c.Verdict == eval.Applied:
		return isNext, number(n + 1)
	case n >= c.gone.next:
		return true, is
	case isNext && !c.gone.told[n]:
		return true, number(n + 1)
	case isNext, n < c.Number && c.Number < c.gone.next:
		return false, is
	default:
		return true, is
	}
}
