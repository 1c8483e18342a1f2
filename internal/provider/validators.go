package provider

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"k8s.io/apimachinery/pkg/util/resourceversion"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

// stringRule is a validator made of one function that lists what is wrong with a value; nothing means that it is fine.
type stringRule struct {
	description string
	title       errorTitle
	problems    func(string) []string
}

var _ validator.String = stringRule{}

func (r stringRule) Description(context.Context) string         { return r.description }
func (r stringRule) MarkdownDescription(context.Context) string { return r.description }

func (r stringRule) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if problems := r.problems(req.ConfigValue.ValueString()); len(problems) > 0 {
		resp.Diagnostics.Append(r.title.at(req.Path,
			fmt.Sprintf("Attribute %s: %s.", req.Path, strings.TrimSuffix(strings.Join(problems, "; "), "."))))
	}
}

func validNamespace() validator.String {
	return stringRule{"a namespace's name (RFC 1123 label)", titleInvalidNamespace, namespaceProblems}
}

func validName() validator.String {
	return stringRule{"a ConfigMap's name (RFC 1123 subdomain)", titleInvalidConfigMapName, nameProblems}
}

func validKey() validator.String {
	return stringRule{"a ConfigMap's key", titleInvalidConfigMapKey, keyProblems}
}

func validValueSize() validator.String {
	return stringRule{"at most 1,048,576 bytes", titleValueTooLarge, func(s string) []string {
		return sizeProblems(len(s))
	}}
}

func validBase64() validator.String {
	return stringRule{"canonical standard base64 (RFC 4648, section 4)", titleInvalidBase64, func(s string) []string {
		b, err := base64.StdEncoding.Strict().DecodeString(s)
		if err != nil || base64.StdEncoding.EncodeToString(b) != s {
			return []string{"must be canonical standard base64, as base64encode() and filebase64() give it: " +
				"no line breaks, with padding"}
		}
		return sizeProblems(len(b))
	}}
}

func sizeProblems(size int) []string {
	if size > cas.MaxSize {
		return []string{fmt.Sprintf("holds %d bytes; the values of a ConfigMap may have %d together", size, cas.MaxSize)}
	}
	return nil
}

func validTimeout() validator.String {
	return stringRule{"a duration above zero", titleInvalidTimeout, func(s string) []string {
		if d, err := time.ParseDuration(s); err != nil || d <= 0 {
			return []string{fmt.Sprintf(`must be a duration above zero, such as "30s" or "2m", not %q`, s)}
		}
		return nil
	}}
}

func validResourceVersion() validator.String {
	return stringRule{"a resourceVersion", titleInvalidResourceVersion, func(s string) []string {
		// Also refuses "" and "0", with which the API server would write unconditionally.
		if _, err := resourceversion.CompareResourceVersion(s, s); err != nil {
			return []string{fmt.Sprintf("must be a resourceVersion as an object's metadata has it "+
				"(a positive whole number), not %q", s)}
		}
		return nil
	}}
}
