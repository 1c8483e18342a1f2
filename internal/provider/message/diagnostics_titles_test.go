package message_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Command lines show one warning of each title. So the title of a warning says which key it is about, or which object where all keys of it have the same.
func TestTitlesOfWarningsNameWhatTheyAreAbout(t *testing.T) {
	t.Parallel()
	drifted := func(keys ...string) (drift []decide.Drift) {
		for _, key := range keys {
			drift = append(drift, decide.Drift{Key: key, Found: eval.Text("live"), ToWrite: eval.Text("1")})
		}
		return drift
	}
	const changed = "Value Changed Since Last Apply: "
	long, longer := strings.Repeat("a", 80)+".limits."+strings.Repeat("b", 80), strings.Repeat("a", 80)+".requests."+strings.Repeat("b", 80)
	tests := map[string]struct {
		of   diag.Diagnostic
		want string
	}{
		"a key":              {aboutFoo(terms.OpUpdate).DriftOverwritten(drifted("foo"), nil), changed + "foo in ConfigMap shop/settings"},
		"a hidden key":       {aboutFoo(terms.OpUpdate, hidden).DriftOverwritten(drifted("foo"), nil), changed + "foo in ConfigMap shop/settings"},
		"a key of a Secret":  {aboutPassword(terms.OpUpdate).DriftKept(drifted("foo"), nil), changed + "foo in Secret shop/database"},
		"one of several":     {aboutSeveral(terms.OpUpdate).DriftOverwritten(drifted("a"), nil), changed + "a in ConfigMap shop/settings"},
		"three":              {aboutSeveral(terms.OpDelete).Stays(decide.KeepExisting, kept("a", "b", "c"), nil), "Key Stays In Place: a, b and c in ConfigMap shop/settings"},
		"more":               {aboutSeveral(terms.OpDelete).Stays(decide.KeepExisting, kept("a", "b", "c", "d"), nil), "Key Stays In Place: a and 3 more in ConfigMap shop/settings"},
		"a label":            {aboutWhole(terms.OpUpdate).DriftOverwritten(drifted(eval.LabelKey("app")), nil), changed + "label app in ConfigMap shop/settings"},
		"a field":            {aboutWeb(terms.OpUpdate).DriftOverwritten(drifted(replicasKey()), nil), changed + "spec.replicas in Deployment shop/web"},
		"a path that fits":   {aboutSeveral(terms.OpDelete).Stays(decide.KeepExisting, kept(long[:110]), nil), "Key Stays In Place: " + long[:110] + " in ConfigMap shop/settings"},
		"a field that stays": {aboutWeb(terms.OpDelete).Stays(decide.KeepExisting, kept(replicasKey()), nil), "Field Stays In Place: spec.replicas in Deployment shop/web"},
		"an error as a warning": {
			aboutFoo(terms.OpUpdate, warned, expecting("expected_value")).Diagnose(conflictOf(eval.ReasonKey, seenOf(map[string]string{"foo": "live"}), eval.Version{})),
			"Expected Value Mismatch: foo in ConfigMap shop/settings",
		},
		"an object that does not exist yet": {aboutFoo(terms.OpCreate, planning).Diagnose(&eval.NotFoundError{Ref: testRef}), "ConfigMap Does Not Exist Yet: ConfigMap shop/settings"},
		"a namespace":                       {aboutFoo(terms.OpCreate, planning).Diagnose(&eval.NoNamespaceError{Ref: testRef}), "Namespace Does Not Exist Yet: shop"},
		"a kind":                            {aboutWeb(terms.OpRead).Diagnose(&eval.NotServedError{Ref: web, APIVersion: "apps/v1"}), "Kind Not Served: Deployment of apps/v1"},
		"an API server":                     {aboutFoo(terms.OpCreate, warned).Diagnose(&eval.UnreachableError{Host: "https://api.test", Err: errServer}), "API Server Unreachable"},
		"a value of a pool":                 {aboutFoo(terms.OpUpdate, ofAllocation).OutsideRange("7"), `Value Outside The Range: "7" of foo in ConfigMap shop/settings`},
		"a long field":                      {aboutSeveral(terms.OpDelete).Stays(decide.KeepExisting, kept(long), nil), "Key Stays In Place: " + long[:57] + "…" + digestOf(long)[:4] + "…" + long[len(long)-57:] + " in ConfigMap shop/settings"},
		"one with the same ends":            {aboutSeveral(terms.OpDelete).Stays(decide.KeepExisting, kept(longer), nil), "Key Stays In Place: " + long[:57] + "…" + digestOf(longer)[:4] + "…" + long[len(long)-57:] + " in ConfigMap shop/settings"},
		"two of which one is long":          {aboutSeveral(terms.OpDelete).Stays(decide.KeepExisting, kept("a", long), nil), "Key Stays In Place: a and 1 more in ConfigMap shop/settings"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.of.Summary(); test.of.Severity() != diag.SeverityWarning || got != test.want {
				t.Errorf("%s %q, want %q", test.of.Severity(), got, test.want)
			}
		})
	}
}

// A warning names all keys that it is about, also those whose values it does not show.
func TestAWarningNamesAllItsKeys(t *testing.T) {
	t.Parallel()
	var drift []decide.Drift
	for _, name := range strings.Split("abcdefghijklmn", "") {
		drift = append(drift, decide.Drift{Key: "key-" + name, Found: eval.Text("live-" + name), ToWrite: eval.Text("1")})
	}
	for name, d := range map[string]diag.Diagnostic{
		"drift":         aboutSeveral(terms.OpUpdate).DriftOverwritten(drift, nil),
		"whole":         aboutWhole(terms.OpUpdate).DriftOverwritten(drift, nil),
		"stays at last": aboutSeveral(terms.OpDelete).Stays(decide.KeepExisting, kept(keysOf(drift)...), nil),
	} {
		if !strings.Contains(d.Summary(), "key-a and 13 more in ConfigMap shop/settings") {
			t.Errorf("%s: the title is %q", name, d.Summary())
		}
		for _, key := range keysOf(drift) {
			if !strings.Contains(d.Detail(), key+"\n") && !strings.Contains(d.Detail(), key+",") {
				t.Errorf("%s: %s is not in\n%s", name, key, d.Detail())
			}
		}
		if strings.Contains(d.Detail(), "live-n") {
			t.Errorf("%s: it shows all values:\n%s", name, d.Detail())
		}
	}
}

func keysOf(drift []decide.Drift) (keys []string) {
	for _, d := range drift {
		keys = append(keys, d.Key)
	}
	return keys
}

// Each cause of an API server that cannot be reached is reported once.
func TestTheCauseOfAnUnreachableServerIsToldOnce(t *testing.T) {
	t.Parallel()
	told := &eval.Causes{}
	says := func(op terms.Operation, cause string) string {
		return aboutFoo(op).Diagnose(&eval.UnreachableError{Host: "https://api.test", Err: errors.New(cause), Reported: told}).Detail()
	}
	const short = "The API server could not be reached. Nothing was written." + head + "  Host:       https://api.test\n\nAnother message of this run tells the cause."
	if first := says(terms.OpRead, "refused"); !strings.Contains(first, "Cause:      refused") || !strings.Contains(first, "Check what the cause names") {
		t.Errorf("the first one says\n%s", first)
	}
	if got := says(terms.OpCreate, "refused"); got != short {
		t.Errorf("the second one says\n%s\nwant\n%s", got, short)
	}
	if other := says(terms.OpCreate, "no such host"); !strings.Contains(other, "Cause:      no such host") {
		t.Errorf("another cause says\n%s", other)
	}
}
