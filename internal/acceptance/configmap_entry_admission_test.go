package acceptance_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// writesHere matches writes of ConfigMaps in the fixture's namespace.
func (f *fixture) writesHere() *admissionv1.MatchResources {
	return &admissionv1.MatchResources{
		NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": f.namespace}},
		ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
			Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
			Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
		}}},
	}
}

// awaitPolicy waits until the API server treats a write of foo that is only tried as it shall.
func (f *fixture) awaitPolicy(value string, done func(stored string, err error) bool) {
	f.Helper()
	f.awaitTried("testmap", `{"data":{"foo":"`+value+`"}}`, func(cm *corev1.ConfigMap, err error) bool { return done(cm.Data["foo"], err) })
}

// awaitTried waits until the API server, which learns of policies through a watch, treats a patch that is only tried as it shall.
func (f *fixture) awaitTried(name, patch string, done func(*corev1.ConfigMap, error) bool) {
	f.Helper()
	err := wait.PollUntilContextTimeout(f.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		cm, err := f.cluster.Client().CoreV1().ConfigMaps(f.namespace).Patch(ctx, name, types.MergePatchType,
			[]byte(patch), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		return done(cm, err), nil
	})
	if err != nil {
		f.Fatalf("waiting for the policy: %v", err)
	}
}

// mutate has the cluster change what is written. Up to Kubernetes 1.35 there is but v1beta1 of such policies, which has the same fields.
func (f *fixture) mutate(spec admissionv1.MutatingAdmissionPolicySpec) {
	f.Helper()
	client := f.cluster.Client().AdmissionregistrationV1()
	group := admissionv1.SchemeGroupVersion
	if _, err := client.MutatingAdmissionPolicies().List(f.Context(), metav1.ListOptions{}); apierrors.IsNotFound(err) {
		group.Version = "v1beta1"
	}
	meta := metav1.ObjectMeta{Name: f.namespace}
	for resource, object := range map[string]any{
		"mutatingadmissionpolicies": admissionv1.MutatingAdmissionPolicy{
			TypeMeta: metav1.TypeMeta{APIVersion: group.String(), Kind: "MutatingAdmissionPolicy"}, ObjectMeta: meta, Spec: spec,
		},
		"mutatingadmissionpolicybindings": admissionv1.MutatingAdmissionPolicyBinding{
			TypeMeta: metav1.TypeMeta{APIVersion: group.String(), Kind: "MutatingAdmissionPolicyBinding"}, ObjectMeta: meta,
			Spec: admissionv1.MutatingAdmissionPolicyBindingSpec{PolicyName: f.namespace},
		},
	} {
		body, err := json.Marshal(object)
		if err != nil {
			f.Fatal(err)
		}
		err = client.RESTClient().Post().AbsPath("apis", group.Group, group.Version, resource).
			SetHeader("Content-Type", "application/json").Body(body).Do(f.Context()).Error()
		if err != nil {
			f.Fatal(err)
		}
	}
}

// byPolicy is what the mutating policy puts behind every value of foo.
const byPolicy = " (by policy)"

func (f *fixture) mutateFoo() {
	f.Helper()
	f.mutate(admissionv1.MutatingAdmissionPolicySpec{
		MatchConstraints: f.writesHere(), ReinvocationPolicy: admissionv1.NeverReinvocationPolicy,
		MatchConditions: []admissionv1.MatchCondition{{
			Name: "foo", Expression: `has(object.data) && "foo" in object.data && !object.data["foo"].endsWith("` + byPolicy + `")`,
		}},
		Mutations: []admissionv1.Mutation{{
			PatchType: admissionv1.PatchTypeJSONPatch,
			JSONPatch: &admissionv1.JSONPatch{
				Expression: `[JSONPatch{op: "replace", path: "/data/foo", value: object.data["foo"] + "` + byPolicy + `"}]`,
			},
		}},
	})
	f.awaitPolicy("probe", func(stored string, err error) bool { return err == nil && stored == "probe"+byPolicy })
}

func TestAdmissionThatChangesTheValueIsToldOf(t *testing.T) {
	p := newPipeline(t)
	p.testmap(contents{})
	p.mutateFoo()
	warning := func(sent string) []string {
		return []string{
			"Warning: Value Changed By Admission", "Change the admission policy, or set value to what it stores.",
			"Sent: " + quoted(sent), "Stored: " + quoted(sent+byPolicy),
		}
	}
	p.write(entryBlock("foo", `value = "2"`))
	p.plan()
	p.wants(p.apply(), warning("2")...)
	p.wantLive("testmap", data{"foo": "2" + byPolicy})
	if got := p.wantState("foo")["foo"].Attributes["value"]; got != "2" {
		t.Errorf("the state holds %v", got)
	}

	// The drift shows, and what is written over it meets the same.
	p.wants(p.plan(), `"2`+byPolicy+`" -> "2"`)
	p.write(entryBlock("foo", `value = "3"`))
	p.plan()
	p.wants(p.apply(), warning("3")...)

	// The policy's own value is no drift.
	p.write(entryBlock("foo", `value = "3`+byPolicy+`"`))
	p.planNothing()

	p.wants(p.destroy(), "!Value Changed By Admission")
	p.wantLive("testmap", nil)
}

func TestAdmissionThatChangesTheValueHidesAsTold(t *testing.T) {
	p := newPipeline(t)
	p.testmap(contents{})
	p.mutateFoo()
	p.write(entryBlock("foo", `value = "secret"`, `hide_value = true`))
	p.plan()
	p.wants(p.apply(), "Warning: Value Changed By Admission", "Sent: (hidden, 6 bytes, sha256:", "Stored: (hidden, 18 bytes, sha256:", `!Sent: "`, `!Stored: "`)
}

// The write that ended the version cannot be told from another's, for it does not say what was sent.
func TestResponseThatIsLostToAWriteThatAdmissionChanged(t *testing.T) {
	t.Parallel()
	for name, found := range map[string]map[string]string{
		"of an object with managedFields": {"bar": "kept"},
		"of an object without":            nil, // the API server keeps none for what was empty when it was made
	} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			p.create("testmap", found)
			if got := len(p.live("testmap").ManagedFields) > 0; got != (found != nil) {
				t.Fatalf("managedFields: %v", got)
			}
			p.mutateFoo()
			proxy := p.proxied()
			p.write(entryBlock("foo", `value = "2"`))
			p.plan()
			proxy.SetHook(onceFor(t, http.MethodPatch, testcluster.Fault{DropAfter: true}))
			p.applyRefused("Error: Write Outcome Unknown", "the key was changed to something else: by admission on the way in", "!Nothing was written")
			p.wantState()
			if got := p.live("testmap").Data["foo"]; got != "2"+byPolicy {
				t.Errorf("live: %q", got)
			}
		})
	}
}

func TestAdmissionThatRefuses(t *testing.T) {
	t.Parallel()
	for reason, wants := range map[metav1.StatusReason][]string{
		metav1.StatusReasonInvalid: {
			"Error: Request Refused", "The API server refused to patch the ConfigMap. Nothing was written.", "Status: 422",
		},
		metav1.StatusReasonRequestEntityTooLarge: {
			"Error: Request Refused", "The API server refused to patch the ConfigMap. Nothing was written.", "Status: 413",
		},
		metav1.StatusReasonForbidden: {
			"Error: Not Permitted", "You do not have permission to patch this ConfigMap. Nothing was written.", "API server: ",
		},
	} {
		t.Run(string(reason), func(t *testing.T) {
			p := newPipeline(t)
			p.create("testmap", data{"foo": "1"})
			p.refuseFoo(reason)
			p.write(entryBlock("sibling", `key = "bar"`, `value = "2"`) + entryBlock("foo", `value = "refused"`, `expected_value = "1"`))
			p.plan()
			output := p.applyRefused(append(wants, "foo must not be refused")...)
			if n := strings.Count(output, "Error: "); n != 1 {
				t.Errorf("%d errors, want one", n)
			}
			p.wantState("sibling") // what one entry is refused for does not fail another
			p.wantLive("testmap", data{"foo": "1", "bar": "2"})

			p.planned(entryBlock("sibling", `key = "bar"`, `value = "2"`) + entryBlock("foo", `value = "3"`, `expected_value = "1"`))
			p.wantLive("testmap", data{"foo": "3", "bar": "2"})
		})
	}
}

// refuseFoo has the cluster refuse ConfigMaps whose foo is "refused".
func (f *fixture) refuseFoo(reason metav1.StatusReason) {
	f.Helper()
	f.refuse(admissionv1.Validation{
		Expression: `!has(object.data) || !("foo" in object.data) || object.data["foo"] != "refused"`,
		Message:    "foo must not be refused", Reason: &reason,
	})
	f.awaitPolicy("refused", func(_ string, err error) bool { return err != nil })
}

// refuse has the cluster refuse what does not hold. It does so a little later.
func (f *fixture) refuse(unless admissionv1.Validation) {
	f.Helper()
	admission := f.cluster.Client().AdmissionregistrationV1()
	_, err := admission.ValidatingAdmissionPolicies().Create(f.Context(), &admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: f.namespace},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: f.writesHere(), Validations: []admissionv1.Validation{unless},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		f.Fatal(err)
	}
	_, err = admission.ValidatingAdmissionPolicyBindings().Create(f.Context(), &admissionv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: f.namespace},
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: f.namespace, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		f.Fatal(err)
	}
}
