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

// Withheld replaces a message of the API server.
const Withheld = "the API server's message is withheld, because it may quote a value of the object"

// Withhold replaces the API server's message in the error of a write of hidden values if admission or
// validation may have quoted a value in it. values returns the values; if those are not all values of the
// object, the message is replaced in any case. values is not called if the message is the authorizer's.
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

// isAuthorizers reports whether the message is about authentication or authorization. The API server makes
// such a message from the URL and the user, before it reads the body.
func (c *Client) isAuthorizers(answer *apierrors.StatusError, ref judging.Ref) bool {
	name := c.resource(ref)
	if group := ref.Kind.Group(); group != "" {
		name += "." + group
	}
	about := fmt.Sprintf("%s %q is forbidden: User ", name, ref.Name)
	return apierrors.IsUnauthorized(answer) ||
		apierrors.IsForbidden(answer) && strings.HasPrefix(answer.ErrStatus.Message, about)
}

// quoted is the number of consecutive bytes of a value that count as a quotation. A shorter value is quoted
// as a whole.
const quoted = 8

// quotes reports whether words quote a value in any of its forms.
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

// forms returns a value as a message may quote it: as it is, escaped by Go and by JSON, as a list of bytes
// that Go prints, as hexadecimal digits, and as base64.
func forms(value string) []string {
	escaped, _ := json.Marshal(value) // escapes for HTML, too
	plain, _ := judging.Text(value).JSON()
	return []string{
		value, inside(strconv.Quote(value), `"`), inside(string(escaped), `"`), inside(string(plain), `"`),
		inside(fmt.Sprintf("%d", []byte(value)), "["), inside(fmt.Sprintf("%#v", []byte(value)), "[]byte{"),
		fmt.Sprintf("%x", value), fmt.Sprintf("%X", value), base64.StdEncoding.EncodeToString([]byte(value)),
	}
}

// inside returns the words between the opening and the last byte.
func inside(words, opening string) string { return words[len(opening) : len(words)-1] }

// maxCauses is the number of causes of a refusal that a message shows, one a line.
const maxCauses = 10

// shorten reduces the API server's message about a write to its causes. Validation quotes the value that it
// refuses, which may be the whole object.
func shorten(err error) {
	var answer *apierrors.StatusError
	if !errors.As(err, &answer) {
		return
	}
	s := &answer.ErrStatus
	if s.Details == nil || len(s.Details.Causes) == 0 {
		s.Message = lines(unquoted(s.Message))
		return
	}
	var causes []string
	for i, cause := range s.Details.Causes {
		s.Details.Causes[i].Message = line(unquoted(cause.Message))
		text := s.Details.Causes[i].Message
		if cause.Field != "" && cause.Field != "patch" {
			text = cause.Field + ": " + text
		}
		causes = append(causes, text)
	}
	if more := len(causes) - maxCauses; more > 0 {
		causes = append(causes[:maxCauses], fmt.Sprintf("and %d more", more))
	}
	s.Message = strings.Join(causes, "\n")
}

// maxQuoted is the number of bytes of a value that a message may quote.
const maxQuoted = 100

// unquoted removes a value that field.Error in k8s.io/apimachinery quotes, if it is an object or long.
func unquoted(message string) string {
	kind, rest, isQuoting := strings.Cut(message, "value: ")
	if !isQuoting {
		return message
	}
	if quoted, err := strconv.QuotedPrefix(rest); err == nil && strings.HasPrefix(rest, `"`) {
		if len(quoted) <= maxQuoted && !strings.HasPrefix(quoted, `"{`) {
			return message
		}
		return kind + "value" + rest[len(quoted):]
	}
	if !strings.ContainsAny(rest, "{[") {
		return message
	}
	if end := strings.LastIndexAny(rest, "}]"); end >= 0 { // the reason comes after the value
		return kind + "value" + rest[end+1:]
	}
	return kind + "value"
}

// maxLine is the number of bytes of one cause that a message shows.
const maxLine = 1000

// lines returns the first lines of a message.
func lines(message string) string {
	all := strings.Split(message, "\n")
	if len(all) > maxCauses {
		all = append(all[:maxCauses], "...")
	}
	for i := range all {
		all[i] = line(all[i])
	}
	return strings.Join(all, "\n")
}

// line returns the first line of a message.
func line(message string) string {
	message, _, _ = strings.Cut(message, "\n")
	if len(message) > maxLine {
		message = strings.ToValidUTF8(message[:maxLine], "") + "..."
	}
	return message
}
