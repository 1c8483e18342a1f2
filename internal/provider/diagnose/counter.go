package diagnose

import (
	"fmt"
	"math"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

var counterRange = fmt.Sprintf("%d to %d", int64(math.MinInt64), int64(math.MaxInt64))

func (s Subject) notANumber(e *cas.NotANumberError) diag.Diagnostic {
	return s.refuse(TitleNotACounter, path.Root("key"), e.Key+" does not hold a whole number.",
		[]Fact{{"Found", renderOne(e.Live, s.Hide)}, {"Range", counterRange}},
		s.orDestroy("Set the key to the next free number, such as 42, without spaces or leading zeros. Or remove the key, to begin at initial."))
}

func (s Subject) overflow(e *cas.OverflowError) diag.Diagnostic {
	return s.refuse(TitleCounterWouldOverflow, path.Root("step"), "Taking the next number would raise the counter out of its range.", []Fact{
		{"Found", renderOne(e.Live, s.Hide)},
		{"Number", s.figure(e.Number)},
		{"Step", fmt.Sprint(e.Step)},
		{"Range", counterRange},
	}, s.orDestroy("Set the key to a free number that is further from the limit, or use another key."))
}

func (s Subject) unknownNumber(e *cas.UnknownNumberError) diag.Diagnostic {
	numbers := make([]string, len(e.Numbers))
	for i, n := range e.Numbers {
		numbers[i] = s.figure(n)
	}
	state := "keeps the number that it has"
	if s.Op == terms.OpCreate {
		state = "has nothing of this resource"
	}
	return s.tell(TitleWriteOutcomeUnknown, path.Empty(),
		"The write was sent, but its outcome is unknown. The number may have been taken, or may be taken yet.",
		append([]Fact{{"Number", strings.Join(numbers, " or ")}, {"State", state}}, s.sent(e.Err)...),
		"Run terraform apply again: it takes another number. If this one was taken, it stays unused.")
}
