package wire

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

// Withheld stands for what the API server said.
const Withheld = "the API server's message is withheld, because it may quote a value of the object"

// Withhold takes the API server's words out of the error that a write of hidden values ended with, where admission or
// validation may have quoted a value in them. Where not all values are known, any words may. values gives them, and is asked only then.
func (c *Client) Withhold(err error, ref judging.Ref, values func() (all []judging.Entry, isAll bool)) {
	var answer *apierrors.StatusError
	if !errors.As(err, &answer) || c.isAuthorizers(answer, ref) {
		return
	}
	s := &answer.ErrStatus
	if all, isAll := values(); isAll && !quotes(fmt.Sprintln(s.Message, s.Details), all) {
		return
	}
	s.Message = Withheld
	if s.Details != nil {
		s.Details.Causes = nil
	}
}

// isAuthorizers reports whether the error is made of the request's URL and user alone, before the API server looks at its body.
func (c *Client) isAuthorizers(answer *apierrors.StatusError, ref judging.Ref) bool {
	name := c.resource(ref)
	if group := ref.Kind.Group(); group != "" {
		name += "." + group
	}
	about := fmt.Sprintf("%s %q is forbidden: User ", name, ref.Name)
	return apierrors.IsUnauthorized(answer) || apierrors.IsForbidden(answer) && strings.HasPrefix(answer.ErrStatus.Message, about)
}

// quoted is how many bytes of a value in a row count as a quotation. A shorter value is quoted as a whole.
const quoted = 8

// quotes reports whether words quote a value, in any of its forms.
func quotes(words string, values []judging.Entry) bool {
	runs := map[string]bool{}
	for i := range max(0, len(words)-quoted+1) {
		runs[words[i:i+quoted]] = true
	}
	isIn := func(form string) bool {
		if len(form) <= quoted {
			return form != "" && strings.Contains(words, form)
		}
		for i := range len(form) - quoted + 1 {
			if runs[form[i:i+quoted]] {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(values, func(e judging.Entry) bool { return slices.ContainsFunc(forms(e.Raw()), isIn) })
}

// forms are what a value looks like in words: as it is, as Go and JSON escape it, as the bytes that Go prints, as hexadecimal text and as base64.
func forms(value string) []string {
	return []string{
		value, inside(strconv.Quote(value), `"`), inJSON(value, true), inJSON(value, false),
		inside(fmt.Sprintf("%d", []byte(value)), "["), inside(fmt.Sprintf("%#v", []byte(value)), "[]byte{"),
		fmt.Sprintf("%x", value), fmt.Sprintf("%X", value), base64.StdEncoding.EncodeToString([]byte(value)),
	}
}

func inJSON(value string, escapesHTML bool) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(escapesHTML)
	_ = e.Encode(value) // text always can be
	return inside(strings.TrimSuffix(b.String(), "\n"), `"`)
}

// inside is what is between an opening and the byte that closes it.
func inside(words, opening string) string { return words[len(opening) : len(words)-1] }
