package nextsteps

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// titleHeading matches the heading of a message on the page of all messages.
var titleHeading = regexp.MustCompile(`(?m)^## (.+)$`)

// Every title has a scene, or is in a list of those that have none yet.
func TestEveryTitleHasAScene(t *testing.T) {
	t.Parallel()
	var have []string
	for _, s := range scenes {
		have = append(have, strings.TrimPrefix(strings.TrimPrefix(s.title, "Error: "), "Warning: "))
	}
	without := []string{}
	for _, match := range titleHeading.FindAllStringSubmatch(toolchain.Text(t, "../../../docs/guides/messages.md"), -1) {
		// A title about a ConfigMap is also that about a Secret.
		if !slices.Contains(have, match[1]) && !strings.HasPrefix(match[1], "Invalid ") {
			without = append(without, match[1])
		}
	}
	slices.Sort(without)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(noScene)), without); diff != "" {
		t.Errorf("titles without a scene (-listed +found):\n%s\n%s", diff, strings.Join(without, "\n"))
	}
}

// noScene are the titles without a scene, and the reason.
var noScene = map[string]string{
	"API Server Unreachable":           inCommandLines,
	"Allocation Changed By Admission":  admission,
	"Annotations Too Large":            validation,
	"ConfigMap Has Other Keys":         "package kinds follows each step",
	"ConfigMap Still Exists":           "controllers follow it",
	"ConfigMap Version Not Known":      "package data follows it",
	"Conflicting Provider Arguments":   validation,
	"Document Does Not Fit":            "package document follows it",
	"Expectation Does Not Hold Yet":    waits,
	"Field Does Not Fit":               "package fields follows it",
	"Field Named Twice":                validation,
	"Key Applied By Another Manager":   "the guide beside Helm follows it",
	"Key Does Not Exist Yet":           "package document follows it",
	"Key Existed Before Terraform":     removals,
	"Key In Both Maps":                 validation,
	"Missing Keys":                     validation,
	"Missing Kubernetes Configuration": inCommandLines,
	"Missing Value":                    validation,
	"Not Permitted":                    "the guide about the least role follows it",
	"Not Permitted To Wait":            waits,
	"Nothing To Take Yet":              waits,
	"Number Changed By Admission":      admission,
	"Operation Canceled":               "it has no next step",
	"Operation Timed Out":              waits,
	"Provider Not Configured":          inCommandLines,
	"State Cannot Be Moved":            inCommandLines,
	"Unexpected Error":                 "a defect to report",
	"Unmanaged Keys Will Change":       "it has nothing to follow: a plan to review",
	"Unreadable Private State":         "a defect to report",
	"Value Not Stored As Sent":         admission,
	"Value Too Large":                  validation,
	"Value Will Be Put Back":           removals,
	"Values Too Large":                 validation,
	"Wait Ended Without A Match":       waits,
	"Wait Ended Without A Value":       waits,
	"Wait Failed":                      waits,
	"Write Outcome Unknown":            "it needs a lost response",
}

const (
	admission      = "it needs an admission policy"
	inCommandLines = "it needs another provider configuration"
	later          = "to be written"
	removals       = "tests of drift and of removals follow it"
	validation     = "it states a rule for an argument"
	waits          = "it needs a wait"
)
