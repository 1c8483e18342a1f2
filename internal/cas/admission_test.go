package cas

import (
	"context"
	"net/http"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Admission changes what is written after managedFields were made: who owns a key is then not who made its value.

// mutates has admission set foo to 7 in every write that leaves a key trigger.
func (f *fixture) mutates() {
	f.Helper()
	f.admits(admissionv1.Mutation{
		PatchType:          admissionv1.PatchTypeApplyConfiguration,
		ApplyConfiguration: &admissionv1.ApplyConfiguration{Expression: `Object{data: {"foo": "7"}}`},
	}, func(data map[string]string) bool { return data["foo"] == "7" })
}

// admits has admission change every write that leaves a key trigger. shows reports from a ConfigMap's data
// whether it does.
func (f *fixture) admits(by admissionv1.Mutation, shows func(data map[string]string) bool) {
	f.Helper()
	f.cluster.Mutate(f, f.ref.Namespace, admissionv1.MutatingAdmissionPolicySpec{
		MatchConstraints: &admissionv1.MatchResources{
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": f.ref.Namespace}},
			ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
				Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update},
				Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
			}}},
		},
		MatchConditions:    []admissionv1.MatchCondition{{Name: "trigger", Expression: `has(object.data) && "trigger" in object.data`}},
		FailurePolicy:      new(admissionv1.Fail),
		ReinvocationPolicy: admissionv1.NeverReinvocationPolicy,
		Mutations:          []admissionv1.Mutation{by},
	})
	isMutated := func() bool {
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "probe-"}, Data: map[string]string{"foo": "1", "trigger": "yes"}}
		made, err := f.objects().Create(context.Background(), cm, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err != nil || shows(made.Data)
	}
	<-waitFor(isMutated)
}

// triggers has another client write the trigger just before the first patch from now on, which is lost.
func (f *fixture) triggers() {
	f.proxy.Reset()
	f.onSends(http.MethodPatch, func() testcluster.Fault {
		f.setAs("kubectl-patch", "trigger", "yes")
		return testcluster.Fault{DropBefore: true}
	})
}

// Given a counter; when the write of a number never arrives, and a policy changes the counter's key along with
// another client's write; then no caller receives that number.
func TestPolicyThatChangesACounterTakesNoNumber(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.mutates()
	_, err := f.takes()
	f.want(eval.Applied, err)
	f.triggers()
	got, err := f.takes()
	f.want(eval.Applied, err)
	if got.Number != 7 {
		t.Errorf("took %d, want 7, which the policy has set", got.Number)
	}
}

// Given a policy that changes another client's key along with a write of the engine; when the response is lost;
// then the write counts as applied.
func TestPolicyThatChangesAnothersKeyWithOurWriteDoesNotHideIt(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "0", "other": "1"})
	f.setAs("kubectl-edit", "foo", "1")
	f.mutates()
	s := f.swapping("trigger", eval.Value{}, eval.Text("yes"))
	f.onPatches(testcluster.Fault{DropAfter: true})
	_, err := f.do(s)
	f.want(eval.Applied, err)
	f.wantData(map[string]string{"foo": "7", "other": "1", "trigger": "yes"})
}

// Given a policy that changes the counter's key along with another client's write; when the policy makes the entry
// that a refused number would have made; then that entry does not count as the result of the refused write.
func TestPolicyThatMakesWhatARefusedNumberWouldTakesNoNumber(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "5"})
	f.mutates()
	_, err := f.takes() // 5, and 6 is left
	f.want(eval.Applied, err)
	f.proxy.Reset()
	f.onSends(http.MethodPatch, func() testcluster.Fault {
		f.setAs("kubectl-patch", "trigger", "yes") // the policy makes foo 7
		return testcluster.Fault{}
	})
	got, err := f.takes()
	f.want(eval.Applied, err)
	if got.Number != 7 {
		t.Errorf("took %d, want 7, which the policy has set", got.Number)
	}
}
