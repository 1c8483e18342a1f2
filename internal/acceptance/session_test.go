package acceptance_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	frameworkprovider "github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
)

// session is a workspace on the protocol driver that takes the commands of a command line. It knows the flags that tests use, and
// no others.
type session struct {
	testing.TB

	w     *driver.Workspace
	ctx   context.Context //nolint:containedctx // of a command, which one interrupts
	plans map[string]*driver.Plan
	said  io.Writer // all that commands print, if not nil
}

func newSession(t testing.TB) *session {
	t.Helper()
	return &session{
		TB: t, ctx: t.Context(), plans: map[string]*driver.Plan{},
		w: &driver.Workspace{
			Profile: profile(), Env: map[string]string{}, Validate: driver.ValidateChanges,
			Providers: map[string]driver.Start{"cas": startProvider, "kubernetes": (&kubernetesStandIn{}).start},
			Sources:   map[string]string{"kubernetes": "registry.terraform.io/hashicorp/kubernetes"},
		},
	}
}

// profile is that of the command line that the other tests run. Of Terraform it is the oldest: what newer ones do differently, tests name.
func profile() driver.Profile {
	if strings.Contains(filepath.Base(os.Getenv("TF_ACC_TERRAFORM_PATH")), "tofu") {
		return driver.OpenTofu
	}
	return driver.Terraform111
}

// newProvider is the provider in this process's environment.
func newProvider() frameworkprovider.Provider {
	factory, _ := provider.New("test", os.Getenv)
	return factory()
}

// startProvider is the provider as main serves it.
func startProvider(getenv func(string) string) (tfprotov6.ProviderServer, func()) {
	factory, closeAll := provider.New("test", getenv)
	return providerserver.NewProtocol6(factory())(), closeAll
}

func (s *session) Write(name, content string) {
	s.Helper()
	if name != "main.tf" {
		s.Fatalf("the driver knows one file, not %s", name)
	}
	s.w.Write(content)
}

func (s *session) Setenv(name, value string) { s.w.Env[name] = value }

func (s *session) result(r *driver.Result) testcli.Result {
	if s.said != nil {
		_, _ = io.WriteString(s.said, r.String())
	}
	return testcli.Result{Stdout: r.String(), ExitCode: r.ExitCode}
}

func (s *session) options(args []string) driver.Options {
	s.Helper()
	o := driver.Options{Variables: map[string]string{}}
	for name, value := range s.w.Env {
		if variable, ok := strings.CutPrefix(name, "TF_VAR_"); ok {
			o.Variables[variable] = value
		}
	}
	for _, arg := range args {
		name, value, _ := strings.Cut(arg, "=")
		switch name {
		case "-destroy":
			o.Destroy = true
		case "-refresh-only":
			o.RefreshOnly = true
		case "-refresh":
			o.NoRefresh = value == "false"
		case "-minimal-refresh":
			o.MinimalRefresh = true
		case "-replace":
			o.Replace = append(o.Replace, value)
		case "-var":
			variable, of, _ := strings.Cut(value, "=")
			o.Variables[variable] = of
		case "-auto-approve":
		default:
			s.Fatalf("the driver does not know %s", arg)
		}
	}
	return o
}

func (s *session) Plan(out string, args ...string) testcli.Result {
	s.Helper()
	r := s.w.MakePlan(s.ctx, s.options(args))
	s.plans[out] = r.Plan
	return s.result(r)
}

func (s *session) Apply(planfile string, _ ...string) testcli.Result {
	s.Helper()
	p := s.plans[planfile]
	if p == nil {
		s.Fatalf("there is no plan %s", planfile)
	}
	return s.result(s.w.Apply(s.ctx, p))
}

func (s *session) Destroy(args ...string) testcli.Result {
	s.Helper()
	return s.now(append([]string{"-destroy"}, args...))
}

// now plans and applies in one command.
func (s *session) now(args []string) testcli.Result {
	s.Helper()
	r := s.w.MakePlan(s.ctx, s.options(args))
	planned := s.result(r)
	if r.Plan == nil { // one without changes is applied, too
		return planned
	}
	out := s.result(s.w.Apply(s.ctx, r.Plan))
	out.Stdout = planned.Stdout + out.Stdout
	return out
}

func (s *session) Run(args ...string) testcli.Result {
	s.Helper()
	switch args[0] {
	case "apply":
		return s.now(args[1:])
	case "refresh":
		return s.result(s.w.Refresh(s.ctx, s.options(args[1:])))
	case "import":
		return s.result(s.w.Import(s.ctx, args[1], args[2]))
	case "taint", "untaint":
		s.w.Taint(args[1], args[0] == "taint")
	case "state":
		if args[1] != "rm" {
			s.Fatalf("the driver does not know state %s", args[1])
		}
		s.w.Forget(args[2])
	case "output":
		all := map[string]any{}
		for name, v := range s.w.Outputs() {
			known, _ := jsonValue(v)
			all[name] = map[string]any{"value": known}
		}
		raw, err := json.Marshal(all)
		if err != nil {
			s.Fatal(err)
		}
		return testcli.Result{Stdout: string(raw)}
	default:
		s.Fatalf("the driver does not know %s", args[0])
	}
	return testcli.Result{}
}

// State is what terraform.tfstate would have of this provider's managed objects.
func (s *session) State() map[string]tracked {
	s.Helper()
	all := map[string]tracked{}
	for _, o := range s.w.Objects() {
		if !strings.HasPrefix(o.Type, "cas_") {
			continue
		}
		raw, err := ctyjson.Marshal(o.Value, o.Value.Type())
		if err != nil {
			s.Fatal(err)
		}
		t := tracked{Private: o.Private, Deposed: o.Deposed}
		if err := json.Unmarshal(raw, &t.Attributes); err != nil {
			s.Fatal(err)
		}
		if o.Tainted {
			t.Status = "tainted"
		}
		name := strings.ReplaceAll(strings.SplitN(o.Address, ".", 2)[1], `"`, "")
		if o.Deposed != "" {
			name = "deposed " + name
		}
		all[name] = t
	}
	return all
}
