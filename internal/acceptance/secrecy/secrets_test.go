package secrecy

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
)

// secretive is a pipeline whose credentials leave no trace.
type secretive struct {
	*fixture.Pipeline
	secrets fixture.Planted
	log     string
	seen    map[string]string // what was written, by where
}

func newSecretive(t *testing.T) *secretive {
	t.Helper()
	p := fixture.NewCLIPipeline(t)
	s := &secretive{Pipeline: p, secrets: fixture.Planted{}, log: filepath.Join(t.TempDir(), "log"), seen: map[string]string{}}
	p.CLI.Env = append(p.CLI.Env, "TF_LOG=TRACE", "TF_LOG_CORE=TRACE", "TF_LOG_PROVIDER=TRACE", "TF_LOG_PATH="+s.log)
	return s
}

// onlyVariable begins the name of a setting that is a variable, and no argument.
const onlyVariable = "only_"

// given sets the arguments of the provider, by way of variables of the given kind.
func (s *secretive) given(kind string, arguments map[string]string, more, body string) {
	s.Helper()
	var variables, lines strings.Builder
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		fmt.Fprintf(&variables, "variable %q {\n  type = string\n  %s\n}\n", name, kind)
		if !strings.HasPrefix(name, onlyVariable) {
			fmt.Fprintf(&lines, "  %s = var.%s\n", name, name)
		}
		s.CLI.Env = append(s.CLI.Env, "TF_VAR_"+name+"="+arguments[name])
	}
	s.CLI.Write("main.tf", "terraform {\n  required_providers {\n    cas = { source = \"terraform-cas/cas\" }\n  }\n}\n"+
		variables.String()+"provider \"cas\" {\n"+lines.String()+more+"}\n"+strings.ReplaceAll(body, "NAMESPACE", fixture.Quoted(s.Namespace)))
}

// ran runs a command and keeps what it printed.
func (s *secretive) ran(exitCode int, says string, args ...string) {
	s.Helper()
	r := s.CLI.Run(args...)
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
	err = filepath.WalkDir(s.CLI.Dir, func(path string, entry fs.DirEntry, err error) error {
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

// found returns which secrets are in which place.
func (s *secretive) found() map[string][]string {
	s.Helper()
	if len(s.secrets) == 0 {
		s.Fatal("nothing was planted")
	}
	found := map[string][]string{}
	for where, text := range s.written() {
		if names := s.secrets.In(text); len(names) > 0 {
			found[where] = names
		}
	}
	return found
}

func TestFormsOfASecret(t *testing.T) {
	t.Parallel()
	const secret = `p"w/+ä &%` + "planted"
	pem := "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("MC4CAQAwBQYDK2VwBCIEIPlantedPlantedPlantedPlantedPlantedPlanted1\n", 9) + "-----END PRIVATE KEY-----\n"
	all := fixture.Planted{"it": secret, "key": pem}
	credentials := base64.StdEncoding.EncodeToString([]byte("somebody:" + secret))
	tests := map[string]struct{ text, want string }{
		"plain":                   {"a " + secret + " z", "it"},
		"quoted":                  {fmt.Sprintf("%q", "a"+secret), "it"},
		"ASCII only":              {fmt.Sprintf("%+q", "a"+secret), "it"},
		"JSON":                    {`{"a": "` + strings.Trim(fixture.JSONOf(t, secret), `"`) + `"}`, "it"},
		"JSON in JSON":            {fixture.JSONOf(t, fixture.JSONOf(t, map[string]string{"a": secret})), "it"},
		"a URL":                   {url.UserPassword("somebody", secret).String(), "it"},
		"a query":                 {url.Values{"a": {secret}}.Encode(), "it"},
		"basic authentication":    {"Authorization: Basic " + credentials, "it"},
		"base64":                  {base64.RawURLEncoding.EncodeToString([]byte("a:" + secret + "z")), "it"},
		"bytes in hex":            {fmt.Sprintf("%x", secret), "it"},
		"a key":                   {pem, "key"},
		"a key in a kubeconfig":   {base64.StdEncoding.EncodeToString([]byte(pem)), "key"},
		"a key in JSON":           {fixture.JSONOf(t, map[string]string{"a": pem}), "key"},
		"a part of a key":         {pem[100:170], "key"},
		"framed by Terraform":     {"│ Cause: cannot use " + pem[28:60] + "\n│ " + pem[60:120], "key"},
		"something else":          {"planted", ""},
		"the name of what it is":  {"-----BEGIN PRIVATE KEY-----", ""},
		"what it goes along with": {base64.StdEncoding.EncodeToString([]byte("somebody:else")), ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(all.In(test.text), " "); got != test.want {
				t.Errorf("found %q, want %q in %s", got, test.want, test.text)
			}
		})
	}
}
