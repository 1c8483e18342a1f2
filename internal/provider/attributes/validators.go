package attributes

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// stringRule is a validator made of one function that lists what is wrong with a value; nothing means that it is fine.
type stringRule struct {
	description string
	title       *message.Row
	problems    func(string) []string
}

var _ validator.String = stringRule{}

// Rule returns a validator that reports the problems of a value under the title.
func Rule(description string, title *message.Row, problems func(string) []string) validator.String {
	return stringRule{description, title, problems}
}

func (r stringRule) Description(context.Context) string         { return r.description }
func (r stringRule) MarkdownDescription(context.Context) string { return r.description }

func (r stringRule) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if problems := r.problems(req.ConfigValue.ValueString()); len(problems) > 0 {
		resp.Diagnostics.Append(r.title.Problem(req.Path, strings.TrimSuffix(strings.Join(problems, "; "), ".")))
	}
}

// ValidNamespace demands the name of a namespace.
func ValidNamespace() validator.String {
	return Rule("a namespace's name (RFC 1123 label)", message.InvalidNamespace, terms.NamespaceProblems)
}

// ValidName demands the name of an object.
func ValidName(kind eval.Kind) validator.String {
	return Rule("a "+kind.String()+"'s name (RFC 1123 subdomain)", message.InvalidConfigMapName.Of(kind),
		terms.NameProblems)
}

// ValidKey demands a key that an object can have.
func ValidKey(kind eval.Kind) validator.String {
	return Rule("a "+kind.String()+"'s key", message.InvalidConfigMapKey.Of(kind), terms.KeyProblems)
}

// ValidValueSize demands a value that fits into a ConfigMap.
func ValidValueSize() validator.String {
	return Rule("at most 1,048,576 bytes", message.ValueTooLarge, func(s string) []string {
		return SizeProblems(len(s))
	})
}

// ValidBase64 demands canonical base64 of bytes that fit into a ConfigMap.
func ValidBase64() validator.String {
	return Rule("canonical standard base64 (RFC 4648, section 4)", message.InvalidBase64, func(s string) []string {
		b, problem := DecodeBase64(s)
		if problem != "" {
			return []string{problem}
		}
		return SizeProblems(len(b))
	})
}

// DecodeBase64 gives the bytes that canonical base64 represents, or the problem with it. Two texts for the same bytes
// would be a change that changes nothing.
func DecodeBase64(s string) (b []byte, problem string) {
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil || base64.StdEncoding.EncodeToString(b) != s { // Go takes line breaks
		return nil, "must be canonical standard base64, as base64encode() and filebase64() give it: no line " +
			"breaks, with padding"
	}
	return b, ""
}

// SizeProblems says whether a value of so many bytes is too large.
func SizeProblems(size int) []string {
	if size > eval.MaxSize {
		return []string{fmt.Sprintf("has %d bytes; all values of a ConfigMap must have at most %d together", size,
			eval.MaxSize)}
	}
	return nil
}

// ValidTimeout demands a duration above zero.
func ValidTimeout() validator.String {
	return Rule("a duration above zero", message.InvalidTimeout, func(s string) []string {
		if d, err := time.ParseDuration(s); err != nil || d <= 0 {
			return []string{fmt.Sprintf(`must be a duration above zero, such as "30s" or "2m", not %q`, s)}
		}
		return nil
	})
}

// ValidResourceVersion demands a resourceVersion.
func ValidResourceVersion() validator.String {
	return Rule("a resourceVersion", message.InvalidResourceVersion, func(s string) []string {
		if _, err := resourceversion.CompareResourceVersion(s, s); err != nil {
			return []string{fmt.Sprintf("must be a resourceVersion as an object's metadata has it "+
				"(a positive whole number), not %q", s)}
		}
		return nil
	})
}

// ValidType demands a type of a Secret. The API server stores another one for an empty type.
func ValidType() validator.String {
	return Rule("a type, not empty", message.MissingValue, func(s string) []string {
		if s == "" {
			return []string{`must not be empty; leave it out, or set it to "Opaque"`}
		}
		return nil
	})
}

// ValidFieldManager holds what the API server asks of a field manager.
func ValidFieldManager() []validator.String {
	return []validator.String{Rule("1 to 128 printable characters", message.InvalidFieldManager, func(s string) []string {
		var wrong []string
		if s == "" || len(s) > 128 {
			wrong = append(wrong, fmt.Sprintf("must be 1 to 128 bytes long, not %d", len(s)))
		}
		if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
			wrong = append(wrong, "must hold only printable characters")
		}
		return wrong
	})}
}
