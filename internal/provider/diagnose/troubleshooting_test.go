package diagnose

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// troubleshooting is the guide that has every diagnostic.
const troubleshooting = "../../../templates/guides/troubleshooting.md.tmpl"

// heading is what the troubleshooting guide has about a title: its severity in words, and in which part of the guide.
type heading struct{ severity, part string }

// Every title of a diagnostic is in the troubleshooting guide, with its severity, and none else is; so is its index.
func TestTroubleshootingGuideHasEveryDiagnostic(t *testing.T) {
	t.Parallel()
	want := map[string]string{}
	for text, severities := range titled {
		want[text] = "Error or warning"
		if len(severities) == 1 {
			want[text] = map[diag.Severity]string{diag.SeverityError: "Error", diag.SeverityWarning: "Warning"}[severities[0]]
		}
	}

	headings, index := guideHeadings(t)
	got := map[string]string{}
	var wantIndex []string
	for _, title := range slices.SortedFunc(maps.Keys(headings), func(a, b string) int {
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	}) {
		of := headings[title]
		got[title] = of.severity
		anchor := strings.ReplaceAll(strings.ToLower(title), " ", "-")
		wantIndex = append(wantIndex, fmt.Sprintf("| [%s](#%s) | %s | %s |", title, anchor, strings.ToLower(of.severity), of.part))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("titles and severities (-code +guide):\n%s", diff)
	}
	if diff := cmp.Diff(wantIndex, index); diff != "" {
		t.Errorf("the index (-headings +index):\n%s", diff)
	}
}

// guideHeadings are the headings of diagnostics in the troubleshooting guide, by title, and the rows of its index.
func guideHeadings(t *testing.T) (headings map[string]heading, index []string) {
	t.Helper()
	headings = map[string]heading{}
	part, title := "", ""
	for line := range strings.Lines(toolchain.Text(t, troubleshooting)) {
		line = strings.TrimRight(line, "\n")
		switch text, deep := strings.CutPrefix(line, "### "); {
		case deep && part != "Other Symptoms":
			if _, twice := headings[text]; twice {
				t.Errorf("two headings %q", text)
			}
			title, headings[text] = text, heading{"", part}
		case strings.HasPrefix(line, "## "):
			part = strings.TrimPrefix(line, "## ")
		case strings.HasPrefix(line, "| ["):
			if part == "" {
				index = append(index, line)
			}
		case title != "" && line != "":
			severity, _, _ := strings.Cut(strings.TrimPrefix(line, "**"), ".** ")
			headings[title], title = heading{severity, part}, ""
		}
	}
	return headings, index
}
