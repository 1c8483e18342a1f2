package claim

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

// IgnoredKeys are the expressions of ignore_labels or ignore_annotations.
type IgnoredKeys []*regexp.Regexp

// IgnoredMetadata is what a provider leaves alone.
type IgnoredMetadata struct{ Labels, Annotations IgnoredKeys }

// IgnoredKeysOf is a list of the provider's. The schema has validated it; what is unknown or null in it matches nothing.
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

// Match reports whether a key is to be left alone unless a configuration names it. An expression may match any part of the key.
func (i IgnoredKeys) Match(key string) bool {
	for _, expression := range i {
		if expression.MatchString(key) {
			return true
		}
	}
	return false
}

// Seen is what a resource has of live labels or annotations: all of them but those that are left alone and that named
// does not have.
func (i IgnoredKeys) Seen(live, named map[string]string) map[string]string {
	all := map[string]string{}
	for key, value := range live {
		if _, isNamed := named[key]; isNamed || !i.Match(key) && !isInternalKey(key) {
			all[key] = value
		}
	}
	return all
}

// isInternalKey tells the keys that are the cluster's own: as in hashicorp/kubernetes, whose name has it, those of kubernetes.io,
// but for app.kubernetes.io and service.beta.kubernetes.io, which are for users to set.
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
