package cas

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

const (
	oldPlant = "planted, the old value"
	newPlant = "planted, the new value"
)

// isPlanted reports whether words contain a part of a planted value, as it is or as base64.
func isPlanted(words string) bool {
	return strings.Contains(words, "planted") || strings.Contains(words, base64.StdEncoding.EncodeToString([]byte("planted, ")))
}

// quotes has the API server refuse writes in the fixture's namespace, in words that quote what foo holds.
func (f *fixture) quotes() {
	f.Helper()
	f.cluster.Refuse(f, f.ref.Namespace, admissionv1.ValidatingAdmissionPolicySpec{
		MatchConstraints: &admissionv1.MatchResources{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": f.ref.Namespace}},
			ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
				Operations: []admissionv1.OperationType{admissionv1.OperationAll},
				Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: bothKinds},
			}}},
		},
		Validations: []admissionv1.Validation{{
			Expression:        `!request.name.startsWith("shared")`,
			MessageExpression: `"it holds " + (request.operation == "DELETE" ? string(oldObject.data.foo) : string(object.data.foo))`,
		}},
	})
}

// Given an admission policy that quotes the values that it refuses; when a write is refused; then its error quotes
// nothing of a Secret, and everything of a ConfigMap.
func TestRefusalQuotesNothingOfASecret(t *testing.T) {
	for name, call := range map[string]func(*fixture) error{
		"swap": func(f *fixture) error {
			_, err := f.do(f.swapping("foo", eval.Text(oldPlant), eval.Text(newPlant)))
			return err
		},
		"rehearse": func(f *fixture) error {
			_, err := f.engine.Check(f.Context(), f.swapping("foo", eval.Text(oldPlant), eval.Text(newPlant)).Txn(), DryRun)
			return err
		},
		"another key":            func(f *fixture) error { _, err := f.do(f.swapping("bar", eval.Value{}, one)); return err },
		"removal without a read": func(f *fixture) error { return f.doRemove(f.version()) },
		"removal": func(f *fixture) error {
			if _, err := f.engine.Observe(f.Context(), f.ref, "", 0); err != nil {
				return err
			}
			return f.doRemove(f.version())
		},
		"creation": func(f *fixture) error {
			n := f.creation()
			n.Ref.Name, n.Entries = "shared-too", map[string]eval.Value{"foo": eval.Text(newPlant)}
			_, err := f.doCreate(n)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			ofEachKind(t, func(of kinded) {
				t, kind := of.T, of.kind
				f := newFixtureOf(t, kind, map[string]string{"foo": oldPlant})
				f.quotes()
				err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
					_, err := f.objects().Update(ctx, f.live(), metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
					return err != nil && isPlanted(err.Error()), nil
				})
				if err != nil {
					t.Fatal(err)
				}
				err = call(f)
				var refused *eval.RefusedError
				if !errors.As(err, &refused) || refused.Code != http.StatusUnprocessableEntity {
					t.Fatalf("%v, want a refusal", err)
				}
				if isPlanted(fmt.Sprintf("%v %+v", err, refused.Err)) != (kind == eval.ConfigMap) {
					t.Error(err)
				}
			})
		})
	}
}

// A message that the API server makes without reading the object is reported.
func TestForbiddenWriteOfASecretIsToldInFull(t *testing.T) {
	f := newFixtureOf(t, eval.Secret, map[string]string{"foo": "s"})
	v := f.version()
	f.proxy = f.cluster.ProxyFor(t, f.cluster.User(t, "reads-a-secret", f.ref.Namespace, rbacv1.PolicyRule{
		APIGroups: []string{""}, Resources: []string{"secrets"}, Verbs: []string{"get", "watch"},
	}))
	f.engine = f.newEngine(f.proxy.Config)
	removal := f.doRemove(v)
	_, swap := f.do(f.swapping("foo", eval.Text("s"), two))
	for verb, err := range map[string]error{"delete": removal, "patch": swap} {
		var forbidden *eval.ForbiddenError
		if want := `User "reads-a-secret" cannot ` + verb + ` resource "secrets"`; !errors.As(err, &forbidden) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// An answer about a write of a Secret shows its reason and who denied the write, and no other word.
func TestAnswerAboutASecretNamesReasonAndPolicy(t *testing.T) {
	const about = `secrets "shared" is forbidden: `
	for message, want := range map[string]string{
		"planted": "Unprocessable Entity (the message",
		about + "ValidatingAdmissionPolicy 'a.b' with binding 'all' denied request: planted": "Unprocessable Entity, ValidatingAdmissionPolicy 'a.b' (the",
		`admission webhook "check.example.com" denied the request: planted`:                  `Unprocessable Entity, admission webhook "check.example.com" (the`,
		about + "exceeded quota: few, requested: planted":                                    "Unprocessable Entity, exceeded quota: few (the",
		about + `no, says admission webhook "planted"`:                                       "Unprocessable Entity (the message",
		about + "ValidatingAdmissionPolicy 'planted, too'":                                   "Unprocessable Entity (the message",
	} {
		t.Run(want, func(t *testing.T) {
			f := newFixtureOf(t, eval.Secret, map[string]string{"foo": "-"})
			answer := status(http.StatusUnprocessableEntity, "Invalid", message)
			answer.Body = strings.Replace(answer.Body, `"message"`, `"details":{"causes":[{"message":"planted"}]},"message"`, 1)
			f.onEach(http.MethodPatch, func() testcluster.Fault { return testcluster.Fault{Answer: answer} })
			_, err := f.do(f.swapping("foo", eval.Text("-"), one))
			if err == nil || !strings.Contains(err.Error(), want) || isPlanted(fmt.Sprintf("%v %+v", err, err)) {
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
}

// Given a write of a Secret whose outcome is unknown, and that is sent again; when a 409 answers that quotes
// a value, and no read is permitted any more; then the verdict is unknown, and its cause quotes nothing.
func TestConflictAfterDoubtQuotesNothingOfASecret(t *testing.T) {
	f := newFixtureOf(t, eval.Secret, map[string]string{"foo": oldPlant})
	patches := 0
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		switch {
		case r.Method == http.MethodPatch:
			if patches++; patches == 1 {
				return testcluster.Fault{Answer: internalError(brokenWebhook)}
			}
			return testcluster.Fault{Answer: status(http.StatusConflict, "Conflict", "denied: "+newPlant)}
		case patches > 1:
			return testcluster.Fault{Answer: status(http.StatusForbidden, "Forbidden", "no")}
		}
		return testcluster.Fault{}
	})
	_, err := f.do(f.swapping("foo", eval.Text(oldPlant), eval.Text(newPlant)))
	f.want(eval.Unknown, err)
	if err == nil || isPlanted(fmt.Sprintf("%v %+v", err, err)) {
		t.Errorf("%v, want that nothing is quoted", err)
	}
}
