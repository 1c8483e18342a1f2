package diagnose

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

const (
	// redacted is what stands for a value in another's words.
	redacted = "(hidden)"
	// redactedWords stands for all of them, where they have a part of one.
	redactedWords = "(hidden: it quotes a part of a value)"
	// telltale is how many bytes of a value are a part of it.
	telltale = 8
)

// redact takes the values out of a text that others wrote, in any of the forms in which it may quote them. Where a part of one is
// left, nothing is shown.
func redact(text string, values ...cas.Entry) string {
	var forms []string
	for _, v := range values {
		forms = append(forms, quotations(v)...)
	}
	slices.SortFunc(forms, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // what holds another goes first
	pairs := make([]string, 0, 2*len(forms))
	for _, f := range forms {
		pairs = append(pairs, f, redacted)
	}
	text = strings.NewReplacer(pairs...).Replace(text)
	for _, rest := range strings.Split(text, redacted) {
		for i := range max(0, len(rest)-telltale+1) {
			part := rest[i : i+telltale]
			if slices.ContainsFunc(forms, func(f string) bool { return strings.Contains(f, part) }) {
				return redactedWords
			}
		}
	}
	return text
}

// quotations are the forms in which others may quote a value: as it is, as a string of Go or JSON, as base64.
func quotations(e cas.Entry) []string {
	raw, isText := e.Text()
	if b, ok := e.Binary(); ok {
		raw = string(b)
	} else if !isText {
		return nil
	}
	if raw == "" {
		return nil
	}
	forms := []string{raw, base64.StdEncoding.EncodeToString([]byte(raw)), base64.RawStdEncoding.EncodeToString([]byte(raw))}
	quoted := strconv.Quote(raw)
	forms = append(forms, quoted[1:len(quoted)-1])
	if quoted, err := json.Marshal(raw); err == nil {
		forms = append(forms, string(quoted[1:len(quoted)-1]))
	}
	return forms
}
