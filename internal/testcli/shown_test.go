package testcli

import "testing"

func TestShows(t *testing.T) {
	t.Parallel()
	const output = `
╷
│ Error: Conflict
│
│   Changed by:       a (last write 2026-11-21T12:31:49Z) or kubectl-patch (last write 2026-11-21T12:31:49Z)
│   resourceVersion:  213 when planned, 214 now
│   Waited:           3.2s
╵
cas_configmap_entry.foo: Creation complete after 12s [id=shop/settings:foo]
`
	tests := map[string]struct {
		page string
		want bool
	}{
		"all of it":                     {page: output, want: true},
		"a part":                        {page: "Error: Conflict\n", want: true},
		"wrapped elsewhere":             {page: "Error:\nConflict Changed by:\n", want: true},
		"another version":               {page: "  resourceVersion:  7 when planned, 9 now\n", want: true},
		"one version":                   {page: "  resourceVersion:  9\n  Waited"},
		"another duration":              {page: "Waited: 1m2s\n", want: true},
		"another end":                   {page: "complete after 0s [id=", want: true},
		"another time, one writer":      {page: "Changed by: kubectl-patch (last write 2025-01-01T00:00:00Z)\n  resourceVersion:", want: true},
		"another time, the other":       {page: "Changed by: a (last write 2025-01-01T00:00:00Z)\n", want: true},
		"both writers":                  {page: "Changed by: a (last write 2025-01-01T00:00:00Z) or kubectl-patch (last write 2025-01-01T00:00:00Z)\n", want: true},
		"another writer":                {page: "Changed by: b (last write 2025-01-01T00:00:00Z)\n"},
		"parts in order":                {page: "Error: Conflict\n...\nWaited: 1s\n...\n[id=shop/settings:foo]\n...\n", want: true},
		"parts in another order":        {page: "Waited: 1s\n...\nError: Conflict\n"},
		"a part twice":                  {page: "Error: Conflict\n...\nError: Conflict\n"},
		"text that is no pattern":       {page: "Error. Conflict\n"},
		"text in between, not left out": {page: "Error: Conflict\nWaited: 1s\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Shows(test.page, output); got != test.want {
				t.Errorf("%t, want %t", got, test.want)
			}
		})
	}
}
