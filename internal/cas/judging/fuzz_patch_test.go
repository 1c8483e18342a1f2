package judging_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	jsonpatch "gopkg.in/evanphx/json-patch.v4" // what the API server applies patches with
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/judgingtest"
)

// FuzzPatches applies both kinds of patch as the API server does, to an object of any entries, and looks at the whole of
// what comes of it.
func FuzzPatches(f *testing.F) {
	judgingtest.Seeds(f, 500)
	keys := []string{"a", "b.c", "-_.", "D", "untouched", "null"}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		c := judgingtest.Choices(bytes)
		was := c.Entries(keys...)
		before := judging.Observed(judgingtest.ConfigMapOf(was), time.Now())
		want := maps.Clone(was)
		var changes []judging.Change
		for _, key := range keys[:1+c.Pick(len(keys)-2)] {
			to := c.Entry()
			changes = append(changes, judging.Change{Key: key, From: was[key], To: to})
			delete(want, key)
			if !to.IsAbsent() {
				want[key] = to
			}
		}
		raw := judgingtest.Marshal(t, before.Object())
		wantMap := judgingtest.ConfigMapOf(want)

		r, err := judging.MergePatch(judging.ConfigMap, before.Version(), changes, nil)
		if err != nil {
			t.Fatal(err)
		}
		merged, err := jsonpatch.MergePatch(raw, r.Body)
		if err != nil {
			t.Fatalf("%s: %v", r.Body, err)
		}
		if diff := differ(wantMap, judgingtest.Unmarshal(t, merged)); diff != "" {
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

		r, can := judging.JSONPatch(before, changes)
		if want := hasMapsFor(before, changes); can != want {
			t.Errorf("a JSON Patch of %v can be made: %t, want %t", changes, can, want)
		}
		if !can {
			return
		}
		patch, err := jsonpatch.DecodePatch(r.Body)
		if err != nil {
			t.Fatalf("%s: %v", r.Body, err)
		}
		patched, err := patch.Apply(raw)
		if err != nil {
			t.Fatalf("JSON Patch %s of %s: %v", r.Body, raw, err)
		}
		if diff := differ(wantMap, judgingtest.Unmarshal(t, patched)); diff != "" {
			t.Errorf("JSON Patch %s of %s (-want +got):\n%s", r.Body, raw, diff)
		}

		// Another writer was there in between.
		live := maps.Clone(was)
		key := keys[c.Pick(len(keys))]
		delete(live, key)
		if e := c.Entry(); !e.IsAbsent() {
			live[key] = e
		}
		at := slices.IndexFunc(changes, func(c judging.Change) bool { return c.Key == key })
		liveRaw := judgingtest.Marshal(t, judgingtest.ConfigMapOf(live))
		patched, err = patch.Apply(liveRaw)
		switch {
		case at >= 0 && live[key] != was[key]:
			if err == nil && !inBoth(judgingtest.Unmarshal(t, patched), key) {
				t.Errorf("JSON Patch %s wrote over %#v: %s", r.Body, live[key], patched)
			}
		case err != nil: // a whole map may have gone
			if len(judgingtest.ConfigMapOf(live).Data) > 0 && len(judgingtest.ConfigMapOf(live).BinaryData) > 0 {
				t.Errorf("JSON Patch %s of %s: %v", r.Body, liveRaw, err)
			}
		default:
			delete(want, key)
			if at >= 0 {
				live[key] = changes[at].To
			}
			if e := live[key]; !e.IsAbsent() {
				want[key] = e
			}
			if diff := differ(judgingtest.ConfigMapOf(want), judgingtest.Unmarshal(t, patched)); diff != "" {
				t.Errorf("JSON Patch %s of %s (-want +got):\n%s", r.Body, liveRaw, diff)
			}
		}
	})
}

// differ shows where two objects differ, to whom a map that is empty is one that is not there.
func differ(want, got *corev1.ConfigMap) string {
	if equality.Semantic.DeepEqual(want, got) { // a tenth of what it takes to show that
		return ""
	}
	return cmp.Diff(want, got, cmpopts.EquateEmpty())
}

// hasMapsFor reports whether the changes can be a JSON Patch: the maps that they write to are there, and none removes what is not there.
func hasMapsFor(o *judging.Observation, changes []judging.Change) bool {
	return !slices.ContainsFunc(changes, func(c judging.Change) bool {
		_, isText := c.To.Text()
		_, isBinary := c.To.Binary()
		return isText && len(o.Object().Data) == 0 || isBinary && len(o.Object().BinaryData) == 0 || c.From.IsAbsent() && c.To.IsAbsent()
	})
}

// inBoth reports whether a key is in both maps, which the API server refuses.
func inBoth(cm *corev1.ConfigMap, key string) bool {
	_, isText := cm.Data[key]
	_, isBinary := cm.BinaryData[key]
	return isText && isBinary
}
