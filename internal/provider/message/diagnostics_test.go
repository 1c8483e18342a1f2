package message_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// diagnosticTest is one diagnostic, whole.
type diagnosticTest struct {
	of       diag.Diagnostic
	severity diag.Severity // the zero value means an error
	path     string        // of the attribute; "" for none
	summary  string
	detail   string
}

// written is a write that managedFields name: who, when, and the keys of data that are the writer's since.
func written(manager string, at time.Time, keys ...string) metav1.ManagedFieldsEntry {
	fields := `".":{}`
	for _, key := range keys {
		fields += fmt.Sprintf(`,"f:%s":{}`, key)
	}
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: new(metav1.NewTime(at)),
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:data":{` + fields + `}}`),
	}
}

// writtenAt is when another writer made what was seen.
var writtenAt = time.Date(2026, 7, 1, 11, 59, 0, 0, time.UTC)

// observed returns the observation of a ConfigMap at version 42 with this data and these managedFields.
func observed(data map[string]string, writes ...metav1.ManagedFieldsEntry) *eval.Snapshot {
	return eval.NewSnapshot(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "settings", UID: "u-1", ResourceVersion: "42", ManagedFields: writes}, Data: data,
	}, writtenAt)
}

// seenOf returns the observation of a ConfigMap that another writer created.
func seenOf(data map[string]string) *eval.Snapshot {
	return observed(data, written("another-writer", writtenAt, slices.Sorted(maps.Keys(data))...))
}

func TestDiagnostics(t *testing.T) {
	t.Parallel()
	seen, long := seenOf(map[string]string{"foo": "live"}), seenOf(map[string]string{"foo": strings.Repeat("x", 300) + "live"})
	unmanaged := observed(nil)

	tests := diagnosticTests(seen, unmanaged, long)
	maps.Copy(tests, changeDiagnosticTests())
	maps.Copy(tests, warnedDiagnosticTests(seen))
	maps.Copy(tests, counterDiagnosticTests())
	maps.Copy(tests, allocationDiagnosticTests())
	maps.Copy(tests, wholeDiagnosticTests(seen, unmanaged))
	maps.Copy(tests, severalDiagnosticTests(seen))
	maps.Copy(tests, waitDiagnosticTests(seen))
	maps.Copy(tests, driftDiagnosticTests(seen))
	maps.Copy(tests, actionDiagnosticTests(seen))
	maps.Copy(tests, secretDiagnosticTests(seen))
	maps.Copy(tests, fieldsDiagnosticTests())
	missing := map[string]bool{} // by title and severity
	for _, row := range message.Table() {
		for _, severity := range []diag.Severity{diag.SeverityError, diag.SeverityWarning} {
			if strings.Contains(strings.ToLower(row.Severity), strings.ToLower(severity.String())) {
				missing[row.Title+", "+severity.String()] = !slices.Contains(ofConfigurations, row.Title)
			}
		}
	}
	for _, title := range ofConfigurations {
		if !slices.ContainsFunc(message.Table(), func(r message.Row) bool { return r.Title == title }) {
			t.Errorf("nothing is titled %q", title)
		}
	}
	for name, test := range tests {
		if test.severity == diag.SeverityInvalid {
			test.severity = diag.SeverityError
		}
		delete(missing, test.summary+", "+test.severity.String())
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := diagnosticTest{
				severity: test.of.Severity(), summary: test.of.Summary(), detail: test.of.Detail(),
			}
			if got.severity == diag.SeverityWarning { // which ends with what it is about
				got.summary, _, _ = strings.Cut(got.summary, ": ")
			}
			if at, ok := test.of.(diag.DiagnosticWithPath); ok {
				got.path = at.Path().String()
			}
			test.of = nil
			test.detail = strings.TrimPrefix(test.detail, "\n")
			if diff := cmp.Diff(test, got, cmp.AllowUnexported(diagnosticTest{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if regexp.MustCompile(`[^A-Za-z -]|\b[a-z]`).MatchString(strings.ReplaceAll(got.summary, "-And-", "-")) {
				t.Errorf("the summary %q is not in title case and free of values", got.summary)
			}
		})
	}
	for title, isMissing := range missing {
		if isMissing {
			t.Errorf("no test shows %q", title)
		}
	}
}

// ofConfigurations are the titles about an invalid configuration, import or state. Other tests cover them.
var ofConfigurations = []string{
	"Annotations Too Large",
	"Conflicting Provider Arguments",
	"Field Named Twice",
	"Invalid API Version",
	"Invalid Allocation",
	"Invalid Annotation Key",
	"Invalid Attribute Combination",
	"Invalid Base64",
	"Invalid ConfigMap Key",
	"Invalid ConfigMap Name",
	"Invalid Environment Variable",
	"Invalid Field Manager",
	"Invalid Field Path",
	"Invalid Format",
	"Invalid Field Value",
	"Invalid Import ID",
	"Invalid Import Identity",
	"Invalid Kind",
	"Invalid Kubeconfig",
	"Invalid Label Key",
	"Invalid Label Value",
	"Invalid Name Prefix",
	"Invalid Namespace",
	"Invalid Number",
	"Invalid Object Name",
	"Invalid Provider Argument",
	"Invalid Resource Version",
	"Invalid Selector",
	"Invalid Timeout",
	"Key In Both Maps",
	"Missing Keys",
	"Missing Kubernetes Configuration",
	"Missing Value",
	"Provider Not Configured",
	"State Cannot Be Moved",
	"Unreadable Private State",
	"Value Too Large",
	"Values Too Large",
}

var testRef = eval.Ref{Namespace: "shop", Name: "settings"}

// aboutFoo is the subject of the diagnostics here; the changes are to it.
func aboutFoo(op terms.Operation, changes ...func(*message.Subject)) message.Subject {
	s := message.Subject{
		ID: terms.EntryID{Ref: testRef, Key: "foo"}, Noun: "entry", Place: "namespace, name and key", Op: op, Value: path.Root("value"),
		Keys:     map[string]message.KeyPaths{"foo": {Value: path.Root("value"), Expected: path.Root("expected_value")}},
		ImportID: func(ref eval.Ref, _ []string) string { return ref.String() + "/foo" },
		Ways:     message.Ways{OtherKeys: "ignore other keys.", Move: "Let each instance keep its key."},
	}
	for _, change := range changes {
		change(&s)
	}
	return s
}

func planning(s *message.Subject) { s.Plan = terms.PlanCheckError }

func replanned(s *message.Subject) { planning(s); s.Replanned = true }

func warned(s *message.Subject) { s.Plan = terms.PlanCheckWarning }

func hidden(s *message.Subject) { s.Hide = message.ShowDigests }

func expecting(attribute string) func(*message.Subject) {
	return expectingEntry(attribute, eval.Text("1"))
}

func expectingEntry(attribute string, e eval.Value) func(*message.Subject) {
	return func(s *message.Subject) {
		s.Keys["foo"] = message.KeyPaths{Value: s.Keys["foo"].Value, Expected: path.Root(attribute), Want: &e}
	}
}

func binaryValue(s *message.Subject) {
	s.Value = path.Root("value_base64")
	s.Keys["foo"] = message.KeyPaths{Value: s.Value, Expected: s.Keys["foo"].Expected}
}

// conflictOf is a swap of foo from "1" to "2" that met what was seen.
func conflictOf(reason eval.Reason, seen *eval.Snapshot, at eval.Version) *eval.ConflictError {
	return &eval.ConflictError{
		Reason: reason, Ref: testRef, At: at, Live: seen,
		Keys: []eval.KeyConflict{{Key: "foo", Reason: reason, Expected: eval.Text("1"), New: eval.Text("2")}},
	}
}

func digestOf(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }

var errServer = errors.New("the server's own words")

// Parts of details that many have. Those that are wide are aligned with resourceVersion, those that are served with what the API server says.
const (
	head         = "\n\n  ConfigMap:  shop/settings\n  Key:        foo\n"
	wide         = "\n\n  ConfigMap:        shop/settings\n  Key:              foo\n"
	served       = "\n\n  ConfigMap:   shop/settings\n  Key:         foo\n"
	servedObject = "\n\n  ConfigMap:   shop/settings\n"
	wideFoo      = "  Expected:         \"1\"\n  Found:            \"live\"\n"
	wideBy       = "  Changed by:       another-writer (last write 2026-07-01T11:59:00Z)\n"
	wideNow      = "  resourceVersion:  42\n"
	widePlanned  = "  resourceVersion:  7 when planned, 42 now\n"
	wideRead     = "  resourceVersion:  7 when last read, 42 now\n"
	again        = "\nRun terraform plan again and review the result."
	refresh      = "\nRun terraform plan again with a refresh and review the result."
	planEnd      = " If this blocks a destroy, run CAS_PLAN_CHECK=warning terraform destroy."
	ofFoo        = planEnd + " deletion_policy says what becomes of foo."
	inPlace      = " A resource with create_before_destroy cannot be replaced in place: run terraform plan again."
	deposed      = " If the plan destroys a deposed object, run terraform state rm with the address above, then import the resource."
	ofWhole      = planEnd + " deletion_policy says what becomes of the ConfigMap."
)

// wideHidden is wideFoo of hidden values.
var wideHidden = "  Expected:         (hidden, 1 bytes, sha256:" + digestOf("1") + ")\n  Found:            (hidden, 4 bytes, sha256:" + digestOf("live") + ")\n"

var errDeadline = fmt.Errorf("ended: %w", context.DeadlineExceeded)
