package session

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// CheckTake checks whether a number can be taken.
func (p Plan) CheckTake(
	ctx context.Context, counter cas.Counter, limits timeouts.Value, about message.Subject,
) diag.Diagnostics {
	return p.checkComputed(ctx, counter.Computed(), counters, limits, about)
}

// Take takes the next number of a counter. No other caller gets this number.
func (s *Session) Take(
	ctx context.Context, counter cas.Counter, timeout time.Duration, about message.Subject,
) (int64, diag.Diagnostics) {
	var taken cas.Taken
	diags, _ := s.compute(ctx, counter.Computed(), counters, timeout, about, func(ctx context.Context) (err error) {
		taken, err = s.Engine.Take(ctx, counter)
		return err
	})
	if !diags.HasError() && taken.Stored != taken.Sent {
		diags.Append(about.NumberNotKept(taken))
	}
	return taken.Number, diags
}

// KeepNumber records that a planned instance has a number of a counter, and takes none.
func (p Plan) KeepNumber(ctx context.Context, counter cas.Counter, about message.Subject) diag.Diagnostics {
	return p.Use(ctx, counter.Ref, computing(counter.Key, false), Token(counters), about)
}

// computing returns the use of a computed key by an instance. writes says whether the instance writes the key.
func computing(key string, writes bool) Use {
	u := Use{Owns: []string{key}, Values: map[string]eval.Value{key: eval.Text("")}}
	if writes {
		u.Writes = u.Owns
	}
	return u
}

// checkComputed checks whether a key can be computed, and records that the plan computes it. who is a token that
// several instances share if they compute the key in the same way.
func (p Plan) checkComputed(
	ctx context.Context, c cas.Computed, who string, limits timeouts.Value, about message.Subject,
) diag.Diagnostics {
	diags := p.Use(ctx, c.Ref, computing(c.Key, true), Token(who), about)
	if diags.HasError() {
		return diags
	}
	return append(diags, p.Check(ctx, about, limits, func(ctx context.Context) error {
		return p.Engine.CheckCompute(ctx, c, p.CheckMode())
	})...)
}

// compute sends the computation of a key, unless a call with another who has written the key in this apply. The error
// is the one of send. The key stays taken after an error: other calls with this who may have written it.
func (s *Session) compute(
	ctx context.Context, c cas.Computed, who string, timeout time.Duration, about message.Subject,
	send func(context.Context) error,
) (diag.Diagnostics, error) {
	if !s.Configured() {
		return diag.Diagnostics{NotConfigured()}, nil
	}
	s.CountWrite()
	about.Writes = s.Writes
	if about.Op != terms.OpDelete { // a removal takes no key
		if twice := s.Registry.Take(c.Ref, []string{c.Key}, who); len(twice) > 0 {
			err := &message.WrittenTwiceError{Keys: twice}
			return diag.Diagnostics{about.Diagnose(err)}, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout+c.Wait)
	defer cancel()
	err := send(ctx)
	if err == nil {
		return nil, nil
	}
	return diag.Diagnostics{about.Diagnose(s.located(ctx, about.APIVersion, err))}, err
}
