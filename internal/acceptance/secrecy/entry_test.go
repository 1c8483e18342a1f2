package secrecy

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"
	"github.com/hashicorp/terraform-plugin-log/tfsdklogtest"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// planted is in every value here, and nowhere else.
const planted = "planted"

// plantedValues are variables that Terraform takes for sensitive, so that whatever is printed of them is the provider's doing.
var plantedValues = map[string]string{
	"old": planted + "-old", "new": planted + "-new", "newer": planted + "-newer", "wrong": planted + "-wrong", "foreign": planted + "-foreign",
	"lines": planted + "\n\"quoted\"\n\tlines <&>", "encoded": base64.StdEncoding.EncodeToString([]byte(planted + "\x00bytes")),
	"no_base64": planted + "!", "apart": "apart " + planted, // has no beginning in common with the others, by which it would be known
}

// hiding is a pipeline; all that it prints is searched for what was planted.
type hiding struct {
	*fixture.Pipeline
	block             func(name string, lines ...string) string // of a resource that is called foo
	inBlock, inConfig string                                    // what hides
	said              strings.Builder
	log               testcluster.Log
	readLog           func() // of a command line: puts into log what the provider logged
}

// hidingWay is how values are hidden.
type hidingWay struct{ inBlock, inConfig string }

// hidingWays returns the ways to hide values for a resource that has this attribute. "shown" has to show the values, or
// the paths below prove nothing.
func hidingWays(attribute string) map[string]hidingWay {
	return map[string]hidingWay{
		"by itself":       {inBlock: attribute + " = true"},
		"by the provider": {inConfig: "  hide_values = true"},
		"shown":           {},
	}
}

func newHiding(t *testing.T, way hidingWay, block func(name string, lines ...string) string) *hiding {
	t.Helper()
	s := fixture.NewSession(t)
	h := &hiding{Pipeline: &fixture.Pipeline{Fixture: fixture.New(t), On: s}, block: block, inBlock: way.inBlock, inConfig: way.inConfig}
	s.Said = &h.said
	s.Ctx = tflogtest.RootLogger(tfsdklogtest.RootLogger(s.Ctx, &h.log), &h.log)
	h.plant()
	return h
}

// newCLIHiding is newHiding on the real command line, whose log has what the provider said, too.
func newCLIHiding(t *testing.T, way hidingWay, block func(name string, lines ...string) string) *hiding {
	t.Helper()
	h := &hiding{Pipeline: fixture.NewCLIPipeline(t), block: block, inBlock: way.inBlock, inConfig: way.inConfig}
	path := filepath.Join(t.TempDir(), "log")
	h.CLI.Env = append(h.CLI.Env, "TF_LOG=JSON", "TF_LOG_PATH="+path)
	h.CLI.Output = &h.said
	h.readLog = func() {
		log, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(log)) {
			if strings.Contains(line, `"@module":"provider`) || strings.Contains(line, `"@module":"sdk`) || strings.Contains(line, `"@module":"cas`) {
				_, _ = io.WriteString(&h.log, line) // it keeps all
			}
		}
	}
	h.plant()
	return h
}

func (h *hiding) plant() {
	for name, value := range plantedValues {
		h.Export("TF_VAR_"+name, value)
	}
}

// configure makes the resource the configuration; none where there are no lines.
func (h *hiding) configure(inConfig string, lines ...string) {
	var b strings.Builder
	for name := range plantedValues {
		fmt.Fprintf(&b, "variable %q {\n  type = string\n  sensitive = true\n}\n", name)
	}
	if len(lines) > 0 {
		b.WriteString(h.block("foo", append(lines, h.inBlock)...))
	}
	h.WriteFor(h.Kubeconfig, h.inConfig+"\n"+inConfig, b.String())
}

// wrote applies the resource over the present value.
func (h *hiding) wrote(lines ...string) {
	h.Helper()
	h.configure("", lines...)
	h.Do("apply", "-auto-approve") // which prints the plan, too
}

// quotedBack answers as a proxy does that shows what it was sent, the write having been made or not.
func quotedBack(status int) func(*http.Response) {
	return func(r *http.Response) {
		r.StatusCode, r.Status = status, http.StatusText(status)
		r.Header = http.Header{"Content-Type": {"text/plain"}}
		_ = r.Body.Close()
		body := fmt.Sprintf("cannot store %q", plantedValues["new"])
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	}
}

// hidingPath is a way to fail, or to be warned, and what must be printed in it.
type hidingPath struct {
	run      func(h *hiding)
	wants    []string // with and without hiding
	mute     bool     // shows no value in any case
	unlogged bool     // shows none in a command line's log in any case
}

var hidingPaths = map[string]hidingPath{
	"mismatch at plan": {wants: []string{"Error: Expected Value Mismatch"}, run: func(h *hiding) {
		h.Create("testmap", fixture.Data{"foo": plantedValues["foreign"]})
		h.configure("", `value = var.new`, `expected_value = var.wrong`)
		h.PlanRefused(nil)
	}},
	"mismatch at apply": {wants: []string{"Error: Expected Value Mismatch"}, run: func(h *hiding) {
		h.Create("testmap", fixture.Data{"foo": plantedValues["old"]})
		h.configure(`  plan_check = "off"`, `value = var.new`, `expected_value = var.old`)
		h.Plan()
		h.Set("testmap", "foo", plantedValues["foreign"])
		h.ApplyRefused()
	}},
	"conflict at plan, without a refresh": {wants: []string{"Error: Compare-And-Swap Conflict"}, run: func(h *hiding) {
		h.Testmap(fixture.Contents{})
		h.wrote(`value = var.old`)
		h.Set("testmap", "foo", plantedValues["foreign"])
		h.configure("", `value = var.new`)
		h.PlanRefused(nil, "-refresh=false")
	}},
	"conflict at apply": {wants: []string{"Error: Compare-And-Swap Conflict"}, run: func(h *hiding) {
		h.Testmap(fixture.Contents{})
		h.wrote(`value = var.old`)
		h.configure(`  plan_check = "off"`, `value = var.new`)
		h.Plan()
		h.Set("testmap", "foo", plantedValues["foreign"])
		h.ApplyRefused()
	}},
	"conflict of bytes": {wants: []string{"Error: Expected Value Mismatch", "base64 "}, run: func(h *hiding) {
		h.Create("testmap", fixture.Data{"foo": plantedValues["lines"]})
		h.configure("", `value = var.new`, `expected_value_base64 = var.encoded`)
		h.PlanRefused(nil)
	}},
	"held": {wants: []string{"Error: Key Already Holds The Value"}, run: func(h *hiding) {
		h.Create("testmap", fixture.Data{"foo": plantedValues["new"]})
		h.configure("", `value = var.new`)
		h.PlanRefused(nil)
	}},
	"exists": {wants: []string{"Error: Key Already Exists"}, run: func(h *hiding) {
		h.Create("testmap", fixture.Data{"foo": plantedValues["foreign"]})
		h.configure("", `value = var.new`)
		h.PlanRefused(nil)
	}},
	"changed by admission": {wants: []string{"Warning: Value Not Stored As Sent"}, run: func(h *hiding) {
		h.Testmap(fixture.Contents{})
		h.MutateFoo()
		h.wrote(`value = var.new`)
	}},
	"waits in vain": {wants: []string{"Warning: Expectation Does Not Hold Yet", "Error: Wait Ended Without A Match"}, run: func(h *hiding) {
		h.Create("testmap", fixture.Data{"foo": plantedValues["foreign"]})
		h.configure("", `value = var.new`, `expected_value = var.wrong`, `conflict_scope = "key"`, `wait_for_match = "1ms"`)
		h.Plan()
		h.ApplyRefused()
	}},
	"unknown, and what stands between quotes it": {wants: []string{"Error: Write Outcome Unknown"}, run: func(h *hiding) {
		h.Create("testmap", fixture.Data{"foo": plantedValues["old"]})
		proxy := h.Proxied()
		h.configure("", `value = var.new`, `expected_value = var.old`)
		h.Plan()
		proxy.SetHook(func(r *http.Request) testcluster.Fault {
			if r.Method == http.MethodPatch {
				proxy.SetHook(func(*http.Request) testcluster.Fault { // so the outcome stays unknown
					return testcluster.Fault{Answer: &testcluster.Answer{Status: http.StatusForbidden, Body: "no\n"}}
				})
				return testcluster.Fault{Answered: quotedBack(http.StatusInternalServerError)}
			}
			return testcluster.Fault{}
		})
		h.ApplyRefused()
	}},
	"delete of what changed":  {wants: []string{"Warning: Value Changed Since Last Apply"}, run: deletesPlanted(fixture.Deletes, fixture.Overwrites, `value = var.old`)},
	"release of what changed": {wants: []string{"Warning: Key Stays In Place", "so it stays as it is."}, run: releasesPlanted(fixture.Overwrites, `value = var.old`)},
	"restore of what changed": {wants: []string{"Warning: Key Stays In Place"}, run: releasesPlanted(fixture.Overwrites, `value = var.old`, `deletion_policy = "restore"`)},
	"too large": {wants: []string{"Error: ConfigMap Too Large"}, mute: true, run: func(h *hiding) {
		_, other := fixture.KiB(200, "a")
		padding, _ := fixture.KiB(900, "b")
		h.Create("testmap", fixture.Data{"other": other})
		h.configure("", `value = "${var.new}${`+padding+`}"`)
		h.Plan()
		h.ApplyRefused()
	}},
	"refused in words that quote nothing": {wants: []string{"Error: Request Refused"}, mute: true, run: func(h *hiding) {
		h.refusedPlanted(`"foo is not to be written"`, plantedWrite...)
	}},
	"refused in words that quote it": {wants: []string{"Error: Request Refused"}, run: func(h *hiding) {
		h.refusedPlanted(`"foo must not be " + object.data.foo`, plantedWrite...)
	}},
	"refused in words that quote what it was": {wants: []string{"Error: Request Refused"}, run: func(h *hiding) {
		h.refusedPlanted(`"foo must stay " + oldObject.data.foo`, plantedWrite...)
	}},
	"an update, refused in words that quote what it was": {wants: []string{"Error: Request Refused"}, run: func(h *hiding) {
		h.Testmap(fixture.Contents{})
		h.wrote(`value = var.old`) // which is in no argument any more when it is replaced
		reason := metav1.StatusReasonInvalid
		h.Refuse(admissionv1.Validation{
			Expression: `object.data.foo == oldObject.data.foo`, MessageExpression: `"foo must stay " + oldObject.data.foo`, Reason: &reason,
		})
		h.AwaitRefusal("testmap", `{"data":{"foo":"probe-probe"}}`)
		h.configure("", `value = var.new`)
		h.Plan()
		h.ApplyRefused()
	}},
	"refused in words that quote a part": {wants: []string{"Error: Request Refused"}, run: func(h *hiding) {
		h.refusedPlanted(`"foo must not begin with " + object.data.foo.substring(0, 9)`, plantedWrite...)
	}},
	"an update, and what it replaces": {wants: []string{"previous_value"}, unlogged: true, run: func(h *hiding) {
		h.Testmap(fixture.Contents{})
		h.wrote(`value = var.old`)
		h.wrote(`value = var.new`)
		h.wrote(`value = var.newer`)
		h.Destroy()
	}},
	"invalid": {wants: []string{"Error: Invalid Base64"}, mute: true, run: func(h *hiding) {
		h.configure("", `value_base64 = var.no_base64`)
		h.PlanRefused(nil)
	}},
}

var plantedWrite = []string{`value = var.new`, `expected_value = var.old`}

// deletesPlanted removes what these lines wrote. Another writer changes it before the plan, and again after it.
func deletesPlanted(lines ...string) func(*hiding) {
	return func(h *hiding) {
		h.Testmap(fixture.Contents{})
		h.wrote(lines...)
		h.Set("testmap", "foo", plantedValues["foreign"])
		h.Plan("-destroy")
		h.Set("testmap", "foo", plantedValues["newer"])
		h.ApplyRefused("Error: Compare-And-Swap Conflict")
	}
}

// releasesPlanted plans a release of the keys that these lines wrote, which another writer has changed since. The apply
// says so again, where no plan has looked.
func releasesPlanted(lines ...string) func(*hiding) {
	return func(h *hiding) {
		h.Testmap(fixture.Contents{})
		h.wrote(lines...)
		h.Set("testmap", "foo", plantedValues["foreign"])
		h.Plan("-destroy")
		h.Export("CAS_PLAN_CHECK", "off")
		h.Plan("-destroy")
		h.Wants(h.Apply(), "so it stays as it is.")
	}
}

// refusedPlanted has a policy refuse the write, at plan and at apply.
func (h *hiding) refusedPlanted(message string, lines ...string) {
	h.Helper()
	h.Create("testmap", fixture.Data{"foo": plantedValues["old"]})
	reason := metav1.StatusReasonInvalid
	h.Refuse(admissionv1.Validation{
		Expression: `!has(object.data) || !("foo" in object.data) || object.data.foo == oldObject.data.foo`, MessageExpression: message, Reason: &reason,
	})
	h.AwaitRefusal("testmap", `{"data":{"foo":"probe-probe"}}`)
	h.configure(fixture.DryRun, lines...)
	h.PlanRefused([]string{"Error: Request Refused"})
	h.configure("", lines...)
	h.Plan()
	h.ApplyRefused()
}

// onCommandLines are the paths that are tried on a command line, too.
var onCommandLines = []string{"mismatch at apply", "unknown, and what stands between quotes it", "an update, and what it replaces"}

// TestHiddenValuesArePrintedNowhere plants values, goes every way in which the provider has something to say, and looks for them in
// all that is printed, and in the provider's part of the log.
func TestHiddenValuesArePrintedNowhere(t *testing.T) {
	t.Parallel()
	for way, hides := range hidingWays("hide_values") {
		for name, path := range hidingPaths {
			t.Run(way+"/"+name, func(t *testing.T) { newHiding(t, hides, fixture.EntryBlock).goes(path) })
		}
		for _, name := range onCommandLines {
			t.Run(way+"/"+name+", on a command line", func(t *testing.T) { newCLIHiding(t, hides, fixture.EntryBlock).goes(hidingPaths[name]) })
		}
	}
}

// goes goes a path, and looks for what was planted.
func (h *hiding) goes(path hidingPath) {
	hidden := h.inBlock+h.inConfig != ""
	h.Helper()
	path.run(h)
	if h.readLog != nil {
		h.readLog()
	}
	output, log := testcli.Flat(h.said.String()), h.log.String()
	h.Wants(output, path.wants...)
	if output == "" || log == "" {
		h.Errorf("there is no output, or no log:\n%s\n%s", output, log)
	}
	if shows := showsPlanted(output); shows == (hidden || path.mute) {
		h.Errorf("the output shows a value: %t\n%s", shows, output)
	}
	isLogged := h.readLog != nil && !hidden && !path.mute && !path.unlogged // terraform-plugin-go logs diagnostics
	if shows := showsPlanted(log); shows != isLogged {
		h.Errorf("the log shows a value: %t\n%s", shows, log)
	}
}

// Values that were stored while they were shown leave the state when they are hidden, even if only the apply knows it.
func TestHidingForgetsWhatWasReplaced(t *testing.T) {
	t.Parallel()
	forgetsWhatWasReplaced(t, "previous_value", planted, fixture.EntryBlock("foo", `value = "2"`, `expected_value = "`+planted+`"`),
		func(hide string) string { return fixture.EntryBlock("foo", `value = "2"`, "hide_values = "+hide) })
}

// forgetsWhatWasReplaced applies shown, after which an attribute of foo must be what is wanted, and hidden, after which it must be null.
func forgetsWhatWasReplaced(t *testing.T, attribute string, want any, shown string, hidden func(hide string) string) {
	t.Helper()
	for name, hide := range map[string]string{"known": "true", "unknown": "terraform_data.hide.output"} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", fixture.Data{"foo": planted})
			p.Planned(shown)
			if got := p.State()["foo"].Attributes[attribute]; !cmp.Equal(got, want) {
				t.Fatalf("%s: %v", attribute, got)
			}
			p.Planned("resource \"terraform_data\" \"hide\" {\n  input = true\n}\n" + hidden(hide))
			if got := p.State()["foo"].Attributes[attribute]; got != nil {
				t.Errorf("%s: %v", attribute, got)
			}
			p.PlanNothing()
		})
	}
}

// showsPlanted reports whether a text contains a planted value, as it is or as base64.
func showsPlanted(text string) bool {
	return strings.Contains(text, planted) || strings.Contains(text, base64.StdEncoding.EncodeToString([]byte(planted))[:8])
}
