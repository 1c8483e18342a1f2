package diagnose

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// diagnoseCounter makes the diagnostic of what only a counter meets, or words for one; nil for anything else.
func (s Subject) diagnoseCounter(err error) diag.Diagnostic {
	var (
		unknown    *cas.UnknownNumberError
		notANumber *cas.NotANumberError
		overflow   *cas.OverflowError
		notFound   *cas.NotFoundError
	)
	switch {
	case errors.As(err, &unknown):
		return s.unknownNumber(unknown)
	case errors.As(err, &notANumber):
		return TitleNotACounter.At(path.Root("key"), s.detail(
			"The key holds something else than a whole number, so that no number can be taken. Nothing was written.",
			[]string{"Live: " + renderOne(notANumber.Live, s.Hide), "Range: " + counterRange},
			"Have the key hold the next free number as decimal text, without spaces, plus sign or leading zeros. Without the key, the counter "+
				"begins at initial."))
	case errors.As(err, &overflow):
		return TitleCounterWouldOverflow.At(path.Root("step"), s.detail(
			"The number after the next one would be out of range, so that none can be taken. Nothing was written.",
			[]string{
				"Live: " + renderOne(overflow.Live, s.Hide), "Number: " + s.figure(overflow.Number), fmt.Sprintf("Step: %d", overflow.Step),
				"Range: " + counterRange,
			},
			"Have the key hold a number that is free and in range with step, or use another key."))
	case errors.As(err, &notFound) && s.Planning:
		s.Planning = false // a warning already
		return WarningConfigMapDoesNotExistYet.At(path.Root("name"), s.detail(
			"The ConfigMap does not exist, so that nothing could be checked. It may be made in this apply; the check is made then.", nil,
			"Let the counter depend on what makes the ConfigMap."))
	case errors.As(err, &notFound):
		return TitleConfigMapNotFound.At(path.Root("name"), s.detail(
			"The ConfigMap does not exist. Nothing was written.", nil,
			"Make it first, and let the counter depend on what makes it: a counter does not make its ConfigMap."))
	}
	return nil
}

var counterRange = fmt.Sprintf("%d to %d", int64(math.MinInt64), int64(math.MaxInt64))

// figure shows a number that came from the key.
func (s Subject) figure(n int64) string { return renderOne(cas.Text(strconv.FormatInt(n, 10)), s.Hide) }

func (s Subject) unknownNumber(e *cas.UnknownNumberError) diag.Diagnostic {
	facts := []string{
		"Number: " + s.figure(e.Number), "Sent for resourceVersion: " + e.Err.Base.ResourceVersion,
		"Cause: " + strings.ReplaceAll(s.words(e.Err.Err), "\n", "; "),
	}
	way := "The state keeps the number that it has."
	if s.Op == terms.OpCreate {
		way = "The state has nothing of it."
	}
	return TitleWriteOutcomeUnknown.With(s.detail(
		"The write was sent, and it could not be found out whether the number was taken. It may be taken yet, while the write is on its way.",
		facts, way, "The next apply takes a number anew. If this one was taken, nobody else gets it, and it stays unused.",
		"Where the verb \"watch\" on the ConfigMap is permitted, a lost answer can be settled."))
}

// NumberNotKept is for a number that was taken for nothing.
func (s Subject) NumberNotKept(taken cas.Taken) diag.Diagnostic {
	sent, stored := renderPair(taken.Sent, taken.Stored, s.Hide)
	return TitleNumberChangedByAdmission.At(path.Root("key"), s.detail(
		"The number was taken, and the cluster's admission changed what the key holds on its way in, so that another may get the same "+
			"number. It is not used.", []string{"Number: " + s.figure(taken.Number), "Sent: " + sent, "Stored: " + stored},
		"Have the policy leave the key alone, see that the key holds a free number, then apply again."))
}
