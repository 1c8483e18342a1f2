package cas

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

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

// FuzzPatches applies both kinds of patch as the API server does, to an object of any entries, and looks at the whole of
// what comes of it.
func FuzzPatches(f *testing.F) {
	seeds(f, 500)
	keys := []string{"a", "b.c", "-_.", "D", "untouched", "null"}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		c := choices(bytes)
		was := c.entries(keys...)
		before := judging.Observed(configMapOf(was), time.Now())
		want := maps.Clone(was)
		g := &batch{base: before.Version(), from: before}
		for _, key := range keys[:1+c.pick(len(keys)-2)] {
			to := c.entry()
			g.add(txnTask(t, (&Swap{Key: key, New: to, FieldManager: "engine"}).Txn()), []judging.Change{{Key: key, From: was[key], To: to}})
			delete(want, key)
			if !to.IsAbsent() {
				want[key] = to
			}
		}
		raw := marshal(t, before.Object())
		wantMap := configMapOf(want)

		r, err := judging.MergePatch(ConfigMap, g.base, g.changes, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		merged, err := jsonpatch.MergePatch(raw, r.Body)
		if err != nil {
			t.Fatalf("%s: %v", r.Body, err)
		}
		if diff := cmp.Diff(wantMap, unmarshal(t, merged), cmpopts.EquateEmpty()); diff != "" {
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

		if !g.canGoByKey() {
			return
		}
		if r, err = judging.JsonPatch(g.from, g.changes); err != nil {
			t.Fatal(err)
		}
		patch, err := jsonpatch.DecodePatch(r.Body)
		if err != nil {
			t.Fatalf("%s: %v", r.Body, err)
		}
		patched, err := patch.Apply(raw)
		if err != nil {
			t.Fatalf("JSON Patch %s of %s: %v", r.Body, raw, err)
		}
		if diff := cmp.Diff(wantMap, unmarshal(t, patched), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("JSON Patch %s of %s (-want +got):\n%s", r.Body, raw, diff)
		}

		// Another writer was there in between.
		live := maps.Clone(was)
		key := keys[c.pick(len(keys))]
		delete(live, key)
		if e := c.entry(); !e.IsAbsent() {
			live[key] = e
		}
		at := slices.IndexFunc(g.changes, func(c judging.Change) bool { return c.Key == key })
		liveRaw := marshal(t, configMapOf(live))
		patched, err = patch.Apply(liveRaw)
		switch {
		case at >= 0 && live[key] != was[key]:
			if err == nil && !inBoth(unmarshal(t, patched), key) {
				t.Errorf("JSON Patch %s wrote over %#v: %s", r.Body, live[key], patched)
			}
		case err != nil: // a whole map may have gone
			if len(configMapOf(live).Data) > 0 && len(configMapOf(live).BinaryData) > 0 {
				t.Errorf("JSON Patch %s of %s: %v", r.Body, liveRaw, err)
			}
		default:
			delete(want, key)
			if at >= 0 {
				live[key] = g.changes[at].To
			}
			if e := live[key]; !e.IsAbsent() {
				want[key] = e
			}
			if diff := cmp.Diff(configMapOf(want), unmarshal(t, patched), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("JSON Patch %s of %s (-want +got):\n%s", r.Body, liveRaw, diff)
			}
		}
	})
}

// inBoth reports whether a key is in both maps, which the API server refuses.
func inBoth(cm *corev1.ConfigMap, key string) bool {
	_, isText := cm.Data[key]
	_, isBinary := cm.BinaryData[key]
	return isText && isBinary
}

func marshal(t *testing.T, cm *corev1.ConfigMap) []byte {
	t.Helper()
	raw, err := json.Marshal(cm)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func unmarshal(t *testing.T, raw []byte) *corev1.ConfigMap {
	t.Helper()
	cm := &corev1.ConfigMap{}
	if err := json.Unmarshal(raw, cm); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return cm
}
