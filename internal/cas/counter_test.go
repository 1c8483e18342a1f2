package cas

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

func TestCounterNext(t *testing.T) {
	t.Parallel()
	const most, least = "9223372036854775807", "-9223372036854775808"
	tests := map[string]struct {
		live          eval.Value
		initial, step int64
		number        int64
		after         string // empty: refused
		overflow      bool
	}{
		"absent":                        {initial: 8000, step: 1, number: 8000, after: "8001"},
		"absent, downwards":             {step: -1, number: 0, after: "-1"},
		"there, whatever initial says":  {live: eval.Text("5"), initial: 8000, step: 10, number: 5, after: "15"},
		"negative":                      {live: eval.Text("-5"), step: 10, number: -5, after: "5"},
		"zero":                          {live: eval.Text("0"), step: 1, number: 0, after: "1"},
		"the last one":                  {live: eval.Text("9223372036854775806"), step: 1, number: math.MaxInt64 - 1, after: most},
		"the last one downwards":        {live: eval.Text("-9223372036854775807"), step: -1, number: math.MinInt64 + 1, after: least},
		"the widest step":               {live: eval.Text("-1"), step: math.MinInt64 + 1, number: -1, after: least},
		"none after it":                 {live: eval.Text(most), step: 1, overflow: true},
		"none after it downwards":       {live: eval.Text(least), step: -1, overflow: true},
		"none after initial":            {initial: math.MaxInt64, step: 2, overflow: true},
		"a step over the end":           {live: eval.Text("1"), step: math.MaxInt64, overflow: true},
		"a step over the end downwards": {live: eval.Text("-1"), step: math.MinInt64, overflow: true},
		"more than 64 bits":             {live: eval.Text("9223372036854775808"), step: 1},
		"empty":                         {live: eval.Text(""), step: 1},
		"a word":                        {live: eval.Text("one"), step: 1},
		"a fraction":                    {live: eval.Text("1.0"), step: 1},
		"an exponent":                   {live: eval.Text("1e3"), step: 1},
		"hexadecimal":                   {live: eval.Text("0x10"), step: 1},
		"underscores":                   {live: eval.Text("1_000"), step: 1},
		"leading zeros":                 {live: eval.Text("007"), step: 1},
		"minus zero":                    {live: eval.Text("-0"), step: 1},
		"plus":                          {live: eval.Text("+1"), step: 1},
		"space before":                  {live: eval.Text(" 1"), step: 1},
		"line end":                      {live: eval.Text("1\n"), step: 1},
		"other digits":                  {live: eval.Text("١"), step: 1},
		"binary":                        {live: eval.Binary([]byte("1")), step: 1},
		"no UTF-8":                      {live: eval.Text("\xff"), step: 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := Counter{Ref: eval.Ref{Namespace: "shop", Name: "numbers"}, Key: "port", Initial: test.initial, Step: test.step}
			number, after, err := c.next(test.live)
			var notANumber *NotANumberError
			var overflow *OverflowError
			switch {
			case test.after != "":
				if diff := cmp.Diff(eval.Text(test.after), after, cmp.AllowUnexported(eval.Value{})); diff != "" || err != nil || number != test.number {
					t.Errorf("%d, %v (-want +got):\n%s", number, err, diff)
				}
			case test.overflow != errors.As(err, &overflow), test.overflow == errors.As(err, &notANumber):
				t.Errorf("%v", err)
			}
		})
	}
}

func TestTake(t *testing.T) {
	f := newFixture(t, nil)
	c := Counter{Ref: f.ref, Key: "port", Initial: 8000, Step: 1, FieldManager: "engine"}
	if err := f.engine.CheckCompute(t.Context(), c.Computed(), DryRun); err != nil {
		t.Error(err)
	}
	for n := range 3 {
		taken, err := f.engine.Take(t.Context(), c)
		f.want(eval.Applied, err)
		if taken.Number != int64(8000+n) || taken.Stored != taken.Sent {
			t.Errorf("took %+v, want %d", taken, 8000+n)
		}
	}
	f.wantData(map[string]string{"port": "8003"})
	f.set("port", "eight")
	_, err := f.engine.Take(t.Context(), c)
	f.want(eval.Rejected, err)
	var notANumber *NotANumberError
	if !errors.As(err, &notANumber) || notANumber.Live != eval.Text("eight") {
		t.Errorf("%v", err)
	}
	if err := f.engine.CheckCompute(t.Context(), c.Computed(), ReadOnly); !errors.As(err, &notANumber) {
		t.Errorf("the check says %v", err)
	}
}
