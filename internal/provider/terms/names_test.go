package terms

import (
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// A name that is made of a prefix is one that the API server could have made: 58 characters of the prefix at most, and five more.
func TestGeneratedNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 60)
	for prefix, begins := range map[string]string{"settings-": "settings-", "s": "s", strings.Repeat("x", 58): long[:58], long: long[:58]} {
		name := GenerateName(prefix)
		if !strings.HasPrefix(name, begins) || len(name) != len(begins)+5 || len(NameProblems(name)) > 0 {
			t.Errorf("%q became %q", prefix, name)
		}
		if !IsGenerated(name, prefix) {
			t.Errorf("%q is not told to be made of %q", name, prefix)
		}
	}
	if a, b := GenerateName("x-"), GenerateName("x-"); a == b {
		t.Errorf("%q was made twice", a)
	}
	for name, prefix := range map[string]string{"settings": "settings-", "settings-abcd": "settings-", "settings-abcdef": "settings-", "other-abcde": "settings-", "abcde": ""} {
		if IsGenerated(name, prefix) {
			t.Errorf("%q is told to be made of %q", name, prefix)
		}
	}
}

// Given a prefix of names; then its problems are those that the API server reports, and those of a name made from it.
func TestNamePrefixes(t *testing.T) {
	t.Parallel()
	for prefix, valid := range map[string]bool{
		"settings-": true, "settings.": false, "s": true, strings.Repeat("x", 253): true,
		strings.Repeat("x", 300): false, "": false,
		"-x": false, "Settings-": false, "a b": false, "a.-": false,
	} {
		if got := NamePrefixProblems(prefix); (len(got) == 0) != valid {
			t.Errorf("%q: %v, want it valid: %t", prefix, got, valid)
		}
	}
}

func TestConfigMapIDs(t *testing.T) {
	t.Parallel()
	for id, test := range map[string]struct {
		want eval.Ref
		says string // of the error
	}{
		"shop/settings.map": {want: eval.Ref{Namespace: "shop", Name: "settings.map"}},
		"settings":          {says: `"settings" is not of the form namespace/name`},
		"shop/settings/foo": {says: `"shop/settings/foo" is not of the form namespace/name`},
		"Shop/settings":     {says: `"Shop/settings" has an invalid namespace, "Shop": a lowercase RFC 1123 label must`},
		"shop/":             {says: `"shop/" has an invalid name, "": a lowercase RFC 1123 subdomain must`},
	} {
		got, err := ParseConfigMapID(id)
		if got != test.want || (err == nil) != (test.says == "") || err != nil && !strings.HasPrefix(err.Error(), test.says) {
			t.Errorf("%q is %+v, %v, want %+v, %s", id, got, err, test.want, test.says)
		}
		if test.says == "" && CheckObject(got) != nil {
			t.Errorf("%q: %v", id, CheckObject(got))
		}
	}
}

// The keys of an id come in order: of two that are the same, one follows the other.
func TestDataIDWhoseKeyIsNamedTwice(t *testing.T) {
	t.Parallel()
	id := DataID{Ref: eval.Ref{Namespace: "shop", Name: "settings"}, Keys: []string{"a", "foo", "foo"}}
	const want = `"shop/settings:a,foo,foo" has an invalid key, "foo": it is named twice`
	if err := id.Check(); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	id.Keys = id.Keys[:2]
	if err := id.Check(); err != nil {
		t.Error(err)
	}
	for _, s := range []string{"a/b:x,x", "a/b:x,y,x"} {
		if id, err := ParseDataID(s); err == nil || !strings.HasSuffix(err.Error(), `"x": it is named twice`) {
			t.Errorf("%q is %+v, %v", s, id, err)
		}
	}
}

// "Nothing was ...", says a refusal.
func TestPastOfAnOperation(t *testing.T) {
	t.Parallel()
	for op, want := range map[Operation]string{
		OpRead: "read", OpCreate: "written", OpUpdate: "written", OpDelete: "removed", OpInvoke: "written", OpList: "listed",
	} {
		if got := op.Past(); got != want {
			t.Errorf("%s: %s, want %s", op, got, want)
		}
	}
}
