package eval_test

import (
	"encoding/json"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	jsonpatch "gopkg.in/evanphx/json-patch.v4" // the library by which the API server applies patches
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/evaltest"
)

// FuzzPatch applies a merge patch as the API server does, to a ConfigMap with any entries, and compares all of the result.
func FuzzPatch(f *testing.F) {
	evaltest.Seeds(f, 500)
	keys := []string{"a", "b.c", "-_.", "D", "untouched", "null"}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		c := evaltest.Choices(bytes)
		was := c.Entries(keys...)
		before := eval.NewSnapshot(evaltest.ConfigMapOf(was), time.Now())
		want := maps.Clone(was)
		var changes []eval.Change
		for _, key := range keys[:1+c.Pick(len(keys)-2)] {
			to := c.Value()
			changes = append(changes, eval.Change{Key: key, From: was[key], To: to})
			delete(want, key)
			if !to.IsAbsent() {
				want[key] = to
			}
		}
		raw := evaltest.Marshal(t, evaltest.ConfigMapOf(was))
		wantMap := evaltest.ConfigMapOf(want)

		r, err := eval.Patch(before, changes, nil)
		if err != nil {
			t.Fatal(err)
		}
		merged, err := jsonpatch.MergePatch(raw, r.Body)
		if err != nil {
			t.Fatalf("%s: %v", r.Body, err)
		}
		if diff := differ(wantMap, evaltest.Unmarshal(t, merged)); diff != "" {
			t.Errorf("merge patch %s of %s (-want +got):\n%s", r.Body, raw, diff)
		}
		// The API server compares these two.
		var conditions struct {
			Metadata map[string]string `json:"metadata"`
		}
		if err := json.Unmarshal(r.Body, &conditions); err != nil ||
			!maps.Equal(conditions.Metadata, map[string]string{"uid": "u", "resourceVersion": "7"}) {
			t.Errorf("%s is conditional on %v (%v)", r.Body, conditions.Metadata, err)
		}
	})
}

// differ shows where two objects differ. An empty map and a missing map are equal.
func differ(want, got *corev1.ConfigMap) string {
	if equality.Semantic.DeepEqual(want, got) { // ten times as fast as a comparison that shows the difference
		return ""
	}
	return cmp.Diff(want, got, cmpopts.EquateEmpty())
}
