package wire

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// maxCauses is how many causes of a refusal are told, each in one line.
const maxCauses = 10

// shorten cuts what the API server said of a write down to its causes: validation quotes the value that it refuses, which may be the whole object.
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
		told := s.Details.Causes[i].Message
		if cause.Field != "" && cause.Field != "patch" {
			told = cause.Field + ": " + told
		}
		causes = append(causes, told)
	}
	if more := len(causes) - maxCauses; more > 0 {
		causes = append(causes[:maxCauses], fmt.Sprintf("and %d more", more))
	}
	s.Message = strings.Join(causes, "\n")
}

// maxQuoted is how many bytes of a value may be quoted.
const maxQuoted = 100

// unquoted leaves a quoted value out that is an object or long, as field.Error of k8s.io/apimachinery quotes it.
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
	if end := strings.LastIndexAny(rest, "}]"); end >= 0 { // what is said of a value comes after it
		return kind + "value" + rest[end+1:]
	}
	return kind + "value"
}

// maxLine is how many bytes of one cause are told.
const maxLine = 1000

// lines are the first lines of a message.
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

// line is the first line of a message.
func line(message string) string {
	message, _, _ = strings.Cut(message, "\n")
	if len(message) > maxLine {
		message = strings.ToValidUTF8(message[:maxLine], "") + "..."
	}
	return message
}
