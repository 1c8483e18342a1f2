package terms

import (
	"net/url"
	"strings"
)

// IsInternalKey reports whether the key of a label or annotation belongs to the cluster, by the rule of
// hashicorp/kubernetes: keys of kubernetes.io, except those of app.kubernetes.io and service.beta.kubernetes.io, which
// users set.
func IsInternalKey(key string) bool {
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
