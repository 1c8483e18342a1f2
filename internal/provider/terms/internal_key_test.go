package terms

import "testing"

func TestInternalKeysAreThoseOfHashicorp(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{
		"app": false, "example.com/app": false, "app.kubernetes.io/name": false, "service.beta.kubernetes.io/x": false,
		"kubernetes.io/x": true, "x.kubernetes.io/y": true, "kubectl.kubernetes.io/last-applied-configuration": true,
		"kubernetes.io.example.com/x": false, "example.com/kubernetes.io": false, "deprecated.daemonset.template.generation": true, "": false,
		"%zz/x": false,
	} {
		if got := IsInternalKey(key); got != want {
			t.Errorf("%q is internal: %t, want %t", key, got, want)
		}
	}
}
