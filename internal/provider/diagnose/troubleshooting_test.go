package diagnose

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// troubleshooting is the guide that has every diagnostic.
const troubleshooting = "../../../templates/guides/troubleshooting.md.tmpl"

// Every title of a diagnostic is in the troubleshooting guide, with its severity, and none else is.
func TestTroubleshootingGuideHasEveryDiagnostic(t *testing.T) {
	t.Parallel()
	want := map[string]string{}
	for _, r := range Table() {
		want[r.Title] = r.Severity
	}

	if diff := cmp.Diff(want, guideHeadings(t)); diff != "" {
		t.Errorf("titles and severities (-code +guide):\n%s", diff)
	}
}

// guideHeadings are the headings of diagnostics in the troubleshooting guide: the severity in words, by title.
func guideHeadings(t *testing.T) map[string]string {
	t.Helper()
	headings := map[string]string{}
	part, title := "", ""
	for line := range strings.Lines(toolchain.Text(t, troubleshooting)) {
		line = strings.TrimRight(line, "\n")
		switch text, deep := strings.CutPrefix(line, "### "); {
		case deep && part != "Other Symptoms":
			if _, twice := headings[text]; twice {
				t.Errorf("two headings %q", text)
			}
			title, headings[text] = text, ""
		case strings.HasPrefix(line, "## "):
			part = strings.TrimPrefix(line, "## ")
		case title != "" && line != "":
			severity, _, _ := strings.Cut(strings.TrimPrefix(line, "**"), ".** ")
			headings[title], title = severity, ""
		}
	}
	return headings
}
