package claim

import (
	"bytes"
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

// private is private state as the framework gives it.
type private map[string][]byte

func (p private) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) { return p[key], nil }

func (p private) SetKey(_ context.Context, key string, value []byte) diag.Diagnostics {
	if value == nil {
		delete(p, key)
	} else {
		p[key] = value
	}
	return nil
}

func TestPrivateStateOfAnotherFormIsRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]private{
		"from before there was a memory": {"instance": []byte(`"ABCDEFGH"`), "written": []byte(`{"foo":"data:0"}`)},
		"of a later form":                {"memory": []byte(`{"form":2,"instance":"ABCDEFGH"}`)},
		"without a form":                 {"memory": []byte(`{}`)},
		"cut":                            {"memory": []byte(`{"form":1,`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			was := maps.Clone(test)
			m, diags := Recall(t.Context(), test, cas.ConfigMap)
			m.ForgetPlan()
			if more := m.Keep(t.Context(), test); len(more) > 0 || !maps.EqualFunc(was, test, bytes.Equal) {
				t.Errorf("it is kept as %s: %v", test, more)
			}
			if len(diags) != 1 || diags[0].Summary() != "Unreadable Private State" || !strings.Contains(diags[0].Detail(), "terraform state rm") {
				t.Errorf("diagnostics: %v", diags)
			}
		})
	}
}

func TestPrivateStateIsTheSameBytesWhereNothingChanged(t *testing.T) {
	t.Parallel()
	for name, was := range map[string]string{
		"nothing": "",
		"keys": `{"form":1,"instance":"ABCDEFGH","first":{"b":{},"foo":{"text":"1"}},"written":{"keys":{"b":"absent","foo":"data:0"}},` +
			`"doubts":[{"uid":"u","resource_version":"7","left":{"keys":{"b":"data:1"}}}]}`,
		"an import of all keys": `{"form":1,"import":[]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept := private{}
			if was != "" {
				kept["memory"] = []byte(was)
			}
			m, diags := Recall(t.Context(), kept, cas.ConfigMap)
			diags.Append(m.Keep(t.Context(), kept)...)
			if is := string(kept["memory"]); is != was || diags.HasError() {
				t.Errorf("%v\nwas %s\nis  %s", diags, was, is)
			}
		})
	}
}

// Given a write of foo on version 7 whose outcome is unknown, and a read at the version and of the value of each row.
func TestWhatAReadMakesOfADoubt(t *testing.T) {
	t.Parallel()
	const was, left, other = "1", "2", "9"
	for name, test := range map[string]struct {
		onAny     bool
		at, holds string
		written   string
		lasts     bool
	}{
		"at its base":                                  {false, "7", was, was, true},
		"past it, as it was":                           {false, "8", was, was, false},
		"past it, what it was to leave":                {false, "8", left, left, false},
		"past it, something else":                      {false, "8", other, was, false},
		"by JSON Patch: past it, as it was":            {true, "8", was, was, true},
		"by JSON Patch: past it, what it was to leave": {true, "8", left, left, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &Memory{Form: memoryForm}
			m.Written = digests{partKeys: {"foo": m.digest(cas.Text(was))}}
			unknown := &cas.UnknownError{Base: cas.Version{UID: "u", ResourceVersion: "7"}, OnAny: test.onAny}
			for range 2 { // the same doubt twice is one
				m.doubtOf(unknown, digests{partKeys: {"foo": m.digest(cas.Text(left))}})
			}
			m.clearDoubts(cas.Version{UID: "u", ResourceVersion: test.at}, func(string, string) (cas.Entry, bool) { return cas.Text(test.holds), true })
			if diff := cmp.Diff(m.digest(cas.Text(test.written)), m.Written[partKeys]["foo"]); diff != "" {
				t.Errorf("the baseline (-want +got):\n%s", diff)
			}
			if lasts := len(m.Doubts) == 1; lasts != test.lasts {
				t.Errorf("doubts: %v, want one: %t", m.Doubts, test.lasts)
			}
		})
	}
}
