package cas

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// contend makes the engine find out that others are busy with the object, so that its next writes are JSON Patches.
func (f *fixture) contend() {
	f.Helper()
	f.contendWith(f.set)
}

// contendWith is contend where the other writer writes by set.
func (f *fixture) contendWith(set func(key, value string)) {
	f.Helper()
	f.beforePatch(func() { set("other", "busy") })
	_, err := f.do(f.swapping("contended", Entry{}, Text("yes")))
	f.want(Applied, err)
	f.proxy.SetHook(nil)
	f.proxy.Reset()
}

func (f *fixture) jsonPatches() (n int) {
	for _, r := range f.proxy.Requests() {
		if strings.HasPrefix(r.ContentType, string(types.JSONPatchType)) {
			n++
		}
	}
	return n
}

func TestKeysOfBusyObjectNeverConflictAndCostAboutOneRequestEach(t *testing.T) {
	const processes, each = 8, 50
	data := map[string]string{}
	for p := range processes {
		data[fmt.Sprintf("p%d", p)] = "0"
	}
	f := newFixture(t, data)
	var wg sync.WaitGroup
	for p := range processes {
		e := f.newEngine(f.proxy.Config) // foreign to the others
		wg.Go(func() {
			for n := range each {
				_, err := e.Swap(t.Context(), f.swapping(fmt.Sprintf("p%d", p), Text(fmt.Sprint(n)), Text(fmt.Sprint(n+1))))
				f.want(Applied, err)
			}
		})
	}
	wg.Wait()
	for key := range data {
		data[key] = fmt.Sprint(each)
	}
	f.wantData(data)
	requests := float64(f.proxy.Count()) / (processes * each)
	t.Logf("%d processes: %.2f requests a write", processes, requests)
	if requests > 2 {
		t.Errorf("%.2f requests a write, want about 1", requests)
	}
}

func TestJSONPatchIsConditionalOnTheKey(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"foo": "1"})
		f.contend()
		f.set("foo", "3") // the engine does not know
		_, err := f.do(f.swapping("foo", one, two))
		f.wantReason(ReasonKey, err)
		if f.jsonPatches() != 1 {
			t.Errorf("%d JSON Patches, want 1", f.jsonPatches())
		}
		f.wantData(map[string]string{"foo": "3", "other": "busy", "contended": "yes"})
	})
}

func TestLineageEndsAtAJSONPatch(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"foo": "1", "bar": "1"})
		f.contend()
		v := f.version()
		f.set("other", "between") // foreign, and followed by a write of ours that does not see it
		_, err := f.do(f.swapping("foo", one, two))
		f.want(Applied, err)
		if f.jsonPatches() != 1 {
			t.Fatalf("%d JSON Patches, want 1", f.jsonPatches())
		}
		_, err = f.do(f.swapping("bar", one, two, v))
		f.wantReason(ReasonObject, err)
	})
}

func TestLostAnswerOfAJSONPatchIsFoundOut(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"foo": "1"})
		f.contend()
		f.onPatches(testcluster.Fault{DropAfter: true, Answered: func(*http.Response) {
			f.set("foo", "3")
			f.set("foo", "4")
		}})
		f.set("other", "before")
		result, err := f.do(f.swapping("foo", one, two))
		f.want(Applied, err)
		if result.Stored != f.holding("2") {
			t.Errorf("stored %v, want 2", result.Stored)
		}
		if n := f.jsonPatches(); n != 1 {
			t.Errorf("%d JSON Patches, want 1", n)
		}
		if got := f.live().Data["foo"]; got != "4" {
			t.Errorf("foo is %q: a write was made again", got)
		}
	})
}
