package attributes

import (
	"encoding/base64"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// FuzzValidators: what a validator lets through is what the engine can work with, and nothing is refused without a reason
// that names the attribute.
func FuzzValidators(f *testing.F) {
	for _, s := range []string{
		"", "0", "1", "-1", "+1", "01", "1e3", "18446744073709551616", "99999999999999999999999999999999999999", " 1", "1\n", "\u0661",
		"1s", "-1s", "0s", "1h30m", "1ns", "AA==", "AAE=", "AB==", "AAE", "AA==\n", "A A=", "_-8=", "////", strings.Repeat("AAAA", 10), "\xff",
	} {
		f.Add(s)
	}
	version := regexp.MustCompile(`^[1-9][0-9]*$`)
	alphabet := regexp.MustCompile(`^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$`)
	f.Fuzz(func(t *testing.T, s string) {
		for name, test := range map[string]struct {
			validator validator.String
			valid     bool
		}{
			"resourceVersion": {ValidResourceVersion(), version.MatchString(s)},
			"base64":          {ValidBase64(), alphabet.MatchString(s) && base64.StdEncoding.DecodedLen(len(s)) <= eval.MaxSize+2},
			"timeout":         {ValidTimeout(), lasts(s)},
			"size":            {ValidValueSize(), len(s) <= eval.MaxSize},
		} {
			resp := &validator.StringResponse{}
			test.validator.ValidateString(t.Context(), validator.StringRequest{Path: path.Root("it"), ConfigValue: types.StringValue(s)}, resp)
			if resp.Diagnostics.HasError() == test.valid {
				t.Errorf("%s %q: %v", name, s, resp.Diagnostics)
			}
			for _, d := range resp.Diagnostics {
				if !strings.HasPrefix(d.Detail(), "Attribute it: ") {
					t.Errorf("%s %q: %s", name, s, d.Detail())
				}
			}
		}
		if v := (eval.Version{ResourceVersion: s}); version.MatchString(s) && !v.Valid() {
			t.Errorf("%q may be written down, and makes a write unconditional", s)
		}
	})
}

func lasts(s string) bool {
	d, err := time.ParseDuration(s)
	return err == nil && d > 0
}
