package guides

import (
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// elsewhere are the README's commands that TestReadme does not run: the clone is there already, and the others have tests of their own.
var elsewhere = []string{"git clone ", "cd terraform-provider-cas", "make demo ", "make test "}

// The README's configuration is an example, and its commands install the provider and swap foo. It is not parallel: make install builds in bin/.
func TestReadme(t *testing.T) { //nolint:paralleltest // as said
	root, err := toolchain.Root()
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := testcli.Blocks(toolchain.Text(t, root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	config := testcluster.Shared(t).Config
	r := &reader{T: t, cli: testcli.NewHome(t, testcli.New(t).CLI, config)}
	r.succeeds("kubectl config rename-context testcluster staging") // the reader's own context, as the README says
	r.commands = 0
	for _, block := range blocks {
		switch block.Language {
		case "terraform":
			if block.Text != toolchain.Text(t, root, "examples", "provider", "provider.tf") {
				t.Errorf("the README does not show examples/provider/provider.tf as it is:\n%s", block.Text)
			}
			r.cli.Write("main.tf", block.Text)
		case "text": // which TestGuides compares with what terraform prints, in getting-started
			for _, page := range []string{"guides/getting-started.md", "index.md"} {
				if !strings.Contains(toolchain.Text(t, root, "docs", page), block.Text) {
					t.Errorf("%s does not show the README's refusal:\n%s", page, block.Text)
				}
			}
		case "shell":
			for line := range strings.Lines(block.Text) {
				if !startsWithOne(line, elsewhere) {
					r.succeeds(strings.TrimSpace(line))
				}
			}
		}
	}
	if r.commands != 5 {
		t.Errorf("the README has %d commands, want 5", r.commands)
	}
	r.succeeds("kubectl get configmap testmap --output=jsonpath='{.data.foo}'")
	if r.output != "2" {
		t.Errorf("live foo is %q", r.output)
	}
	r.succeeds("terraform destroy -auto-approve")
	r.succeeds("kubectl delete configmap testmap")
}

func startsWithOne(line string, prefixes []string) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}
