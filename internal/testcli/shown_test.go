package testcli

import "testing"

func TestShows(t *testing.T) {
	t.Parallel()
	const output = `
╷
│ Error: Conflict
│
│ Live resourceVersion: 214
│ Last writer: a (Update) or kubectl-patch (Update), 2026-11-21T12:31:49Z, as
│ far as managedFields tell
│ Waited: 3.2s
╵
cas_configmap_entry.foo: Creation complete after 12s [id=shop/settings:foo]
`
	tests := map[string]struct {
		page string
		want bool
	}{
		"all of it":                     {page: output, want: true},
		"a part":                        {page: "Error: Conflict\n", want: true},
		"wrapped elsewhere":             {page: "Error:\nConflict Live\n", want: true},
		"another version":               {page: "Live resourceVersion: 9\nLast writer:", want: true},
		"another duration":              {page: "Waited: 1m2s\n", want: true},
		"another end":                   {page: "complete after 0s [id=", want: true},
		"another time, one writer":      {page: "Last writer: kubectl-patch (Update), 2025-01-01T00:00:00Z, as far as", want: true},
		"another time, the other":       {page: "Last writer: a (Update), 2025-01-01T00:00:00Z, as far as", want: true},
		"another writer":                {page: "Last writer: b (Update), 2025-01-01T00:00:00Z, as far as"},
		"another operation":             {page: "Last writer: a (Apply), 2025-01-01T00:00:00Z, as far as"},
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
