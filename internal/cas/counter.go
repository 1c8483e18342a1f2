package cas

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Counter is a key that contains the next free number as text: a 64-bit integer in canonical decimal.
type Counter struct {
	Ref eval.Ref
	Key string
	// Initial is the next free number if the key is missing.
	Initial int64
	// Step is added for each number that is taken. It is not zero.
	Step int64
	// FieldManager is the manager that managedFields name for the write. Required.
	FieldManager string
}

// Taken is the result of Take.
type Taken struct {
	Number int64
	// Sent is the next free number that was sent, and Stored the one that the key contains. They differ if admission
	// changed it: another caller may get the same number then.
	Sent, Stored eval.Value
}

// Take returns the number that the key contains and writes the next one, in one atomic request:
// fetch-and-add, as Compute does it. A *NotANumberError and an *OverflowError are rejected.
func (e *Engine) Take(ctx context.Context, c Counter) (Taken, error) {
	step, err := e.Compute(ctx, c.Computed())
	if err != nil {
		return Taken{}, err
	}
	number, sent, err := c.next(step.Previous)
	return Taken{Number: number, Sent: sent, Stored: step.Stored}, err
}

// Computed returns the counter as a computed key.
func (c Counter) Computed() Computed {
	return Computed{Ref: c.Ref, Key: c.Key, FieldManager: c.FieldManager, Next: func(live eval.Value) (eval.Value, error) {
		_, after, err := c.next(live)
		return after, err
	}}
}

// next returns the number that a value represents, and the value after the number was taken.
func (c Counter) next(live eval.Value) (int64, eval.Value, error) {
	number := c.Initial
	if !live.IsAbsent() {
		v := live.Raw()
		n, err := strconv.ParseInt(v, 10, 64)
		if live != c.Ref.Kind.Normalize(eval.Text(v)) || err != nil || strconv.FormatInt(n, 10) != v {
			return 0, eval.Value{}, &NotANumberError{Ref: c.Ref, Key: c.Key, Live: live}
		}
		number = n
	}
	if c.Step > 0 && number > math.MaxInt64-c.Step || c.Step < 0 && number < math.MinInt64-c.Step {
		return 0, eval.Value{}, &OverflowError{Ref: c.Ref, Key: c.Key, Live: live, Number: number, Step: c.Step}
	}
	return number, c.Ref.Kind.Normalize(eval.Text(strconv.FormatInt(number+c.Step, 10))), nil
}

// NotANumberError: the key of a counter contains no 64-bit integer in canonical decimal. Nothing was written.
type NotANumberError struct {
	Ref  eval.Ref
	Key  string
	Live eval.Value
}

func (e *NotANumberError) Error() string {
	return fmt.Sprintf("%s, key %q: does not hold a whole number", e.Ref.Noun(), e.Key)
}

// OverflowError: the number after the counter's next one needs more than 64 bits. Nothing was written.
type OverflowError struct {
	Ref          eval.Ref
	Key          string
	Live         eval.Value
	Number, Step int64
}

func (e *OverflowError) Error() string {
	return fmt.Sprintf("%s, key %q: the counter would overflow", e.Ref.Noun(), e.Key)
}
