package wire

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Withhold removes the API server's message from the error of a write of a Secret, as Withheld does.
func Withhold(err error) {
	var answer *apierrors.StatusError
	if errors.As(err, &answer) && !isAuthorizers(err) {
		answer.ErrStatus.Message = known(answer.ErrStatus)
		if answer.ErrStatus.Details != nil {
			answer.ErrStatus.Details.Causes = nil
		}
	}
}

// Withheld returns an error without the messages of the API server in it, because admission or validation may quote
// a hidden value, also in the path of a field. The status stays, the name of a policy that denied the write, and the
// whole message of the authorizer, which has not seen the object.
func Withheld(err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, one := range several.Unwrap() {
			all = append(all, Withheld(one))
		}
		return errors.Join(all...)
	}
	var answer *apierrors.StatusError
	if !errors.As(err, &answer) || isAuthorizers(err) {
		return err
	}
	return errors.New(known(answer.ErrStatus))
}

// known returns the parts of a refusal that quote no value.
func known(s metav1.Status) string {
	parts := []string{http.StatusText(int(s.Code))}
	if denied := denial.FindStringSubmatch(s.Message); denied != nil {
		parts = append(parts, denied[1])
	}
	return strings.Join(parts, ", ") + " (the message is withheld, because it may quote a value of the object)"
}

// denial matches the beginning of a refusal by admission, up to the name of a policy, a webhook or a quota.
var denial = regexp.MustCompile(`^(?:\S+ (?:"\S*" )?is forbidden: )?` +
	`(ValidatingAdmissionPolicy '[a-z0-9.-]+'|admission webhook "[a-z0-9.-]+"|exceeded quota: [a-z0-9.-]+)`)

// authorizers matches a refusal by the authorizer.
var authorizers = regexp.MustCompile(`^(?:\S+ (?:"\S*" )?is )?forbidden: User "`)

// isAuthorizers reports whether an error is a refusal by the authorizer. The API server makes its message from
// the URL and the user, before it reads the body: "configmaps "a" is forbidden: User "b" cannot patch ...".
// Admission answers 403 as well, and its messages begin with the name of a policy or with a reason.
func isAuthorizers(err error) bool {
	var answer *apierrors.StatusError
	return errors.As(err, &answer) && apierrors.IsForbidden(answer) && authorizers.MatchString(answer.ErrStatus.Message)
}

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
