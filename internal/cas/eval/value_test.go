package eval_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

func TestValueHasOneForm(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`1`: `1`, `1.0`: `1`, `1e3`: `1000`, `10E-1`: `1`, `-0`: `0`, `0.0`: `0`, `-5`: `-5`, `0.10`: `0.1`, `1.5e-7`: `1.5e-7`, `1e21`: `1000000000000000000000`,
		`9007199254740993`:             `9007199254740993`,
		`9007199254740993.0`:           `9007199254740993`,
		`18446744073709551617`:         `18446744073709551617`,
		`true`:                         `true`,
		`{ "b" : 1.0, "a" : [ 2.50 ]}`: `{"a":[2.5],"b":1}`,
		`{}`:                           `{}`,
		`[]`:                           `[]`,
		`{"a":"<&>"}`:                  `{"a":"<&>"}`,
		`"text"`:                       `"text"`,
		`"1"`:                          `"1"`,
	} {
		e, err := eval.JSON([]byte(raw))
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		if got, ok := e.JSON(); !ok || string(got) != want {
			t.Errorf("%s is %s, want %s", raw, got, want)
		}
		kept, err := json.Marshal(e)
		var again eval.Value
		if err != nil || json.Unmarshal(kept, &again) != nil || again != e {
			t.Errorf("%s is kept as %s (%v)", raw, kept, err)
		}
	}
}

func TestTextOfAFieldIsText(t *testing.T) {
	t.Parallel()
	if e, err := eval.JSON([]byte(`"blue"`)); err != nil || e != eval.Text("blue") {
		t.Errorf("%v (%v)", e, err)
	}
}

func TestNumberIsNoText(t *testing.T) {
	t.Parallel()
	number, err := eval.JSON([]byte("5"))
	if err != nil || number == eval.Text("5") || number.Matches(eval.Text("5")) || number.Digest() == eval.Text("5").Digest() {
		t.Errorf("5 and \"5\" are the same (%v)", err)
	}
}

func TestWhatIsNoValueOfAField(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`null`: "leave the member out", `{"a":{"b":null}}`: `member "b" of member "a" of the value is null`, `[1,null]`: "element 1 of the value is null",
		`1e999`: "too large", `{`: "unexpected", `1 2`: "after the value", ``: "EOF",
	} {
		e, err := eval.JSON([]byte(raw))
		if err == nil { // it can be compared, but not be written
			err = eval.CanSet(fieldKey(t, "spec.x"), e)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v, want %q", raw, e, err, want)
		}
	}
}

// A text such as the name of a commit may spell a number with millions of digits. A comparison of such numbers
// takes minutes, so they are no quantities.
func TestSameQuantity(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{`"1000m"`, `"1"`, true},
		{`"1000m"`, `1`, true},
		{`"1Gi"`, `"1024Mi"`, true},
		{`"1e3"`, `"1k"`, true},
		{`"1"`, `"2"`, false},
		{`"a"`, `"a"`, false},
		{`true`, `"1"`, false},
		{`"7e20251127"`, `"5"`, false},
		{`"7e-20251127"`, `"5"`, false},
		{`"7E20251127"`, `"7E20251128"`, false},
	} {
		a, b := entryOf(t, test.a), entryOf(t, test.b)
		if a.IsSameQuantity(b) != test.want || b.IsSameQuantity(a) != test.want {
			t.Errorf("%s and %s are one quantity: %t, want %t", test.a, test.b, !test.want, test.want)
		}
	}
}
