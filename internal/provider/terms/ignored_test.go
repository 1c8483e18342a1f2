package terms

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func TestInternalKeysAreThoseOfHashicorp(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{
		"app": false, "example.com/app": false, "app.kubernetes.io/name": false, "service.beta.kubernetes.io/x": false,
		"kubernetes.io/x": true, "x.kubernetes.io/y": true, "kubectl.kubernetes.io/last-applied-configuration": true,
		"kubernetes.io.example.com/x": false, "example.com/kubernetes.io": false, "deprecated.daemonset.template.generation": true, "": false,
		"%zz/x": false,
	} {
		if got := isInternalKey(key); got != want {
			t.Errorf("%q is internal: %t, want %t", key, got, want)
		}
	}
}

// Given expressions, of which some are not known or none; then what they match is not seen, nor what is the cluster's own, but for what is named.
func TestIgnoredKeysAreNotSeen(t *testing.T) {
	t.Parallel()
	ignored := IgnoredKeysOf(types.ListValueMust(types.StringType, []attr.Value{
		types.StringValue("^team/"), types.StringUnknown(), types.StringNull(), types.StringValue("("), types.StringValue("generation"),
	}))
	if len(ignored) != 2 {
		t.Errorf("%d expressions, want 2", len(ignored))
	}
	live := map[string]string{
		"app": "shop", "team/a": "1", "team/b": "2", "x.team/c": "3", "regenerations": "4", "kubernetes.io/metadata.name": "5", "x.kubernetes.io/named": "6",
	}
	named := func(key string) bool {
		return slices.Contains([]string{"team/b", "x.kubernetes.io/named", "gone"}, key)
	}
	want := map[string]string{"app": "shop", "team/b": "2", "x.team/c": "3", "x.kubernetes.io/named": "6"}
	if diff := cmp.Diff(want, ignored.Seen(live, named)); diff != "" {
		t.Errorf("seen (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"team/a": "1"}, IgnoredKeysOf(types.ListNull(types.StringType)).Seen(map[string]string{"team/a": "1"}, named)); diff != "" {
		t.Errorf("seen without expressions (-want +got):\n%s", diff)
	}
}
