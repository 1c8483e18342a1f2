package resource

import (
	"bytes"
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
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
		"of a later form": {"memory": []byte(`{"form":2,"instance":"ABCDEFGH"}`)},
		"without a form":  {"memory": []byte(`{}`)},
		"cut":             {"memory": []byte(`{"form":1,`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			was := maps.Clone(test)
			m, diags := Recall(t.Context(), test, eval.ConfigMap)
			m.Plan = decide.Notes{}
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
		"keys": `{"form":1,"instance":"ABCDEFGH","originals":{"b":{},"foo":{"text":"1"}},` +
			`"baseline":{"b":"absent","foo":"data:0"}}`,
		"an import of all keys": `{"form":1,"import":[]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept := private{}
			if was != "" {
				kept["memory"] = []byte(was)
			}
			m, diags := Recall(t.Context(), kept, eval.ConfigMap)
			diags.Append(m.Keep(t.Context(), kept)...)
			if is := string(kept["memory"]); is != was || diags.HasError() {
				t.Errorf("%v\nwas %s\nis  %s", diags, was, is)
			}
		})
	}
}
