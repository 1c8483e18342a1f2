package diagnose

import (
	_ "embed"
	"regexp"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

//go:embed titles.go
var titles string

// Titles are all titles, with the severities of the diagnostics that are called so.
var Titles = func() map[string][]diag.Severity {
	all, severities := map[string][]diag.Severity{}, map[string]diag.Severity{"ErrorTitle": diag.SeverityError, "WarningTitle": diag.SeverityWarning}
	for _, title := range regexp.MustCompile(`= (\w+Title)\("([^"]+)"\)`).FindAllStringSubmatch(titles, -1) {
		text, severity := title[2], severities[title[1]]
		if slices.Contains(all[text], severity) {
			panic("two titles: " + text)
		}
		all[text] = append(all[text], severity)
	}
	return all
}()

// Lookalike says how two values differ that look alike.
var Lookalike = lookalike
