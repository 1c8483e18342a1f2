package cas

import (
	"context"
	"fmt"
	"math"
	"strconv"
)

// Counter is a key that holds the next free number, as text: a whole number of 64 bits in canonical decimal.
type Counter struct {
	Ref Ref
	Key string
	// Initial is what an absent key stands for.
	Initial int64
	// Step is what is added for each number that is taken. Not zero.
	Step int64
	// FieldManager is a name, of which one is made that is this Engine's alone. Required.
	FieldManager string
}

// Taken is what became of a number that was taken.
type Taken struct {
	Number int64
	// Sent is what the key was to hold after it, and Stored what it holds. They differ where admission changed it: another may
	// get the same number then.
	Sent, Stored Entry
}

// Take gives the number that the key holds and has it hold the one after it, in one atomic request: fetch-and-add, as Compute does it. A
// *NotANumberError or *OverflowError is rejected, an *UnknownNumberError is unknown.
func (e *Engine) Take(ctx context.Context, c Counter) (Taken, error) {
	step, err := e.Compute(ctx, c.Computed())
	if err != nil {
		return Taken{}, err
	}
	number, sent, err := c.next(step.Previous)
	return Taken{Number: number, Sent: sent, Stored: step.Stored}, err
}

// Computed is the counter as the key that it is.
func (c Counter) Computed() Computed {
	return Computed{Ref: c.Ref, Key: c.Key, FieldManager: c.FieldManager, Next: func(live Entry) (Entry, error) {
		_, after, err := c.next(live)
		return after, err
	}}
}

// next is the number that a key stands for, and what it shall hold once that is taken.
func (c Counter) next(live Entry) (int64, Entry, error) {
	number := c.Initial
	if !live.IsAbsent() {
		v := live.Raw()
		n, err := strconv.ParseInt(v, 10, 64)
		if live != c.Ref.Kind.Entry(Text(v)) || err != nil || strconv.FormatInt(n, 10) != v {
			return 0, Entry{}, &NotANumberError{Ref: c.Ref, Key: c.Key, Live: live}
		}
		number = n
	}
	if c.Step > 0 && number > math.MaxInt64-c.Step || c.Step < 0 && number < math.MinInt64-c.Step {
		return 0, Entry{}, &OverflowError{Ref: c.Ref, Key: c.Key, Live: live, Number: number, Step: c.Step}
	}
	return number, c.Ref.Kind.Entry(Text(strconv.FormatInt(number+c.Step, 10))), nil
}

// NotANumberError: a counter's key holds something else than a whole number of 64 bits in canonical decimal. Nothing was written.
type NotANumberError struct {
	Ref  Ref
	Key  string
	Live Entry
}

func (e *NotANumberError) Error() string {
	return fmt.Sprintf("%s, key %q: does not hold a whole number", e.Ref.Noun(), e.Key)
}

// OverflowError: the number after a counter's next one has more than 64 bits. Nothing was written.
type OverflowError struct {
	Ref          Ref
	Key          string
	Live         Entry
	Number, Step int64
}

func (e *OverflowError) Error() string {
	return fmt.Sprintf("%s, key %q: the counter would overflow", e.Ref.Noun(), e.Key)
}
