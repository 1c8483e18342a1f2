package terms

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

// IgnoredKeys are the expressions of ignore_labels or ignore_annotations.
type IgnoredKeys []*regexp.Regexp

// IgnoredMetadata holds the provider's ignore_labels and ignore_annotations.
type IgnoredMetadata struct{ Labels, Annotations IgnoredKeys }

// IgnoredKeysOf compiles a list of expressions. The schema has validated them; unknown and null ones match nothing.
func IgnoredKeysOf(list types.List) (all IgnoredKeys) {
	for _, element := range list.Elements() {
		if s, ok := element.(types.String); ok && !s.IsNull() && !s.IsUnknown() {
			if expression, err := regexp.Compile(s.ValueString()); err == nil {
				all = append(all, expression)
			}
		}
	}
	return all
}

// Match reports whether an expression matches any part of the key.
func (i IgnoredKeys) Match(key string) bool {
	for _, expression := range i {
		if expression.MatchString(key) {
			return true
		}
	}
	return false
}

// Seen gives the live labels or annotations without the ignored ones. Those that are named are never ignored.
func (i IgnoredKeys) Seen(live map[string]string, isNamed func(key string) bool) map[string]string {
	all := map[string]string{}
	for key, value := range live {
		if isNamed(key) || !i.Match(key) && !isInternalKey(key) {
			all[key] = value
		}
	}
	return all
}

// isInternalKey reports whether a key belongs to the cluster, by the rule of hashicorp/kubernetes: keys of kubernetes.io, except those of
// app.kubernetes.io and service.beta.kubernetes.io, which users set.
func isInternalKey(key string) bool {
	u, err := url.Parse("//" + key)
	if err != nil {
		return false
	}
	switch host := u.Hostname(); host {
	case "app.kubernetes.io", "service.beta.kubernetes.io":
		return false
	default:
		return strings.HasSuffix(host, "kubernetes.io") || strings.Contains(key, "deprecated.daemonset.template.generation")
	}
}
