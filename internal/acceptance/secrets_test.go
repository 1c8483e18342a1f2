package acceptance_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
)

// secrets are credentials that must not be found anywhere, by what they are.
type secrets map[string]string

// window is the length of the parts of a secret that are looked for: of one that is longer, less is found than twice as much.
const window = 32

// forms are what a secret may look like where it leaked, without white space.
func forms(secret string) []string {
	encoded, _ := json.Marshal(secret) // a string can always be encoded
	all := []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), url.UserPassword("", secret).String()[1:],
		strings.Trim(string(encoded), `"`), strings.Trim(strconv.Quote(secret), `"`), strings.Trim(strconv.QuoteToASCII(secret), `"`), fmt.Sprintf("%x", secret),
	}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		for shift := range 3 { // wherever it begins in what is encoded, as behind a user name
			form := encoding.EncodeToString(append(make([]byte, shift), secret...))
			all = append(all, form[(shift*8+5)/6:len(form)-4]) // without the letters in which its neighbors have a part
		}
	}
	var parts []string
	for _, form := range all {
		form = unspaced(form)
		for part := range slices.Chunk([]byte(form), window) {
			if len(part) == window || len(form) < window {
				parts = append(parts, string(part))
			}
		}
	}
	return parts
}

// unspaced is text without what Terraform wraps and frames it with, and without what quotes it, however often.
func unspaced(text string) string {
	return strings.NewReplacer(" ", "", `\`, "").Replace(testcli.Flat(text))
}

// in tells which of the secrets, or a part of which, are in the text.
func (s secrets) in(text string) (names []string) {
	text = unspaced(text)
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if slices.ContainsFunc(forms(s[name]), func(form string) bool { return strings.Contains(text, form) }) {
			names = append(names, name)
		}
	}
	return names
}

// secretive is a pipeline whose credentials leave no trace.
type secretive struct {
	*pipeline
	secrets secrets
	log     string
	seen    map[string]string // what was written, by where
}

func newSecretive(t *testing.T) *secretive {
	t.Helper()
	p := newCLIPipeline(t)
	s := &secretive{pipeline: p, secrets: secrets{}, log: filepath.Join(t.TempDir(), "log"), seen: map[string]string{}}
	p.cli.Env = append(p.cli.Env, "TF_LOG=TRACE", "TF_LOG_CORE=TRACE", "TF_LOG_PROVIDER=TRACE", "TF_LOG_PATH="+s.log)
	return s
}

// onlyVariable begins the name of what is a variable, and no argument.
const onlyVariable = "only_"

// given makes the arguments those of the provider, by way of variables of the given kind.
func (s *secretive) given(kind string, arguments map[string]string, more, body string) {
	s.Helper()
	var variables, lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		fmt.Fprintf(&variables, "variable %q {\n  type = string\n  %s\n}\n", name, kind)
		if !strings.HasPrefix(name, onlyVariable) {
			fmt.Fprintf(&lines, "  %s = var.%s\n", name, name)
		}
		s.cli.Env = append(s.cli.Env, "TF_VAR_"+name+"="+arguments[name])
	}
	s.cli.Write("main.tf", "terraform {\n  required_providers {\n    cas = { source = \"terraform-cas/cas\" }\n  }\n}\n"+
		variables.String()+"provider \"cas\" {\n"+lines.String()+more+"}\n"+strings.ReplaceAll(body, "NAMESPACE", quoted(s.namespace)))
}

// ran runs a command and keeps what it printed.
func (s *secretive) ran(exitCode int, says string, args ...string) {
	s.Helper()
	r := s.cli.Run(args...)
	s.seen[fmt.Sprintf("what the command %d printed, %s", len(s.seen), args[0])] = r.All()
	if r.ExitCode != exitCode || !strings.Contains(testcli.Flat(r.All()), says) {
		s.Errorf("%q ended with %d, want %d and %q:\n%s", args, r.ExitCode, exitCode, says, r.All())
	}
}

// written is all that was printed, logged and stored, by where. A saved plan is an archive.
func (s *secretive) written() map[string]string {
	s.Helper()
	all := maps.Clone(s.seen)
	log, err := os.ReadFile(s.log)
	if err != nil {
		s.Fatal(err)
	}
	all["log"] = string(log)
	err = filepath.WalkDir(s.cli.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name := filepath.Base(path)
		all[name] = string(content)
		if archive, notZip := zip.NewReader(bytes.NewReader(content), int64(len(content))); notZip == nil {
			for _, file := range archive.File {
				reader, err := file.Open()
				if err != nil {
					return err
				}
				inside, err := io.ReadAll(reader)
				if err != nil {
					return err
				}
				all[name+"/"+file.Name] = string(inside)
			}
		}
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return all
}

// found tells which secrets are where.
func (s *secretive) found() map[string][]string {
	s.Helper()
	if len(s.secrets) == 0 {
		s.Fatal("nothing was planted")
	}
	found := map[string][]string{}
	for where, text := range s.written() {
		if names := s.secrets.in(text); len(names) > 0 {
			found[where] = names
		}
	}
	return found
}

func TestFormsOfASecret(t *testing.T) {
	t.Parallel()
	const secret = `p"w/+ä &%` + "planted"
	pem := "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("MC4CAQAwBQYDK2VwBCIEIPlantedPlantedPlantedPlantedPlantedPlanted1\n", 9) + "-----END PRIVATE KEY-----\n"
	all := secrets{"it": secret, "key": pem}
	credentials := base64.StdEncoding.EncodeToString([]byte("somebody:" + secret))
	tests := map[string]struct{ text, want string }{
		"plain":                   {"a " + secret + " z", "it"},
		"quoted":                  {fmt.Sprintf("%q", "a"+secret), "it"},
		"ASCII only":              {fmt.Sprintf("%+q", "a"+secret), "it"},
		"JSON":                    {`{"a": "` + strings.Trim(jsonOf(t, secret), `"`) + `"}`, "it"},
		"JSON in JSON":            {jsonOf(t, jsonOf(t, map[string]string{"a": secret})), "it"},
		"a URL":                   {url.UserPassword("somebody", secret).String(), "it"},
		"a query":                 {url.Values{"a": {secret}}.Encode(), "it"},
		"basic authentication":    {"Authorization: Basic " + credentials, "it"},
		"base64":                  {base64.RawURLEncoding.EncodeToString([]byte("a:" + secret + "z")), "it"},
		"bytes in hex":            {fmt.Sprintf("%x", secret), "it"},
		"a key":                   {pem, "key"},
		"a key in a kubeconfig":   {base64.StdEncoding.EncodeToString([]byte(pem)), "key"},
		"a key in JSON":           {jsonOf(t, map[string]string{"a": pem}), "key"},
		"a part of a key":         {pem[100:170], "key"},
		"framed by Terraform":     {"│ Cause: cannot use " + pem[28:60] + "\n│ " + pem[60:120], "key"},
		"something else":          {"planted", ""},
		"the name of what it is":  {"-----BEGIN PRIVATE KEY-----", ""},
		"what it goes along with": {base64.StdEncoding.EncodeToString([]byte("somebody:else")), ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(all.in(test.text), " "); got != test.want {
				t.Errorf("found %q, want %q in %s", got, test.want, test.text)
			}
		})
	}
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	encoded, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}
