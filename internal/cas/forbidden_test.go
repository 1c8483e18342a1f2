package cas

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Only the authorizer's refusal of a creation is a missing permission. Admission answers 403 as well.
func TestRefusalByAdmissionIsNoMissingPermission(t *testing.T) {
	for name, test := range map[string]struct {
		given func(*fixture)
		want  string // in the error; empty for a missing permission
	}{
		"a namespace that is being deleted": {func(f *fixture) {
			namespaces := f.cluster.Client().CoreV1().Namespaces() // no controller ends the deletion
			if err := namespaces.Delete(f.Context(), f.ref.Namespace, metav1.DeleteOptions{}); err != nil {
				f.Fatal(err)
			}
		}, "is being terminated"},
		"a quota": {func(f *fixture) {
			f.quota(1)
			isRefused := func() bool { // the API server may not know the status yet
				cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "second"}}
				_, err := f.objects().Create(f.Context(), cm, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
				return err != nil
			}
			<-waitFor(isRefused)
		}, "exceeded quota: quota, requested: count/configmaps=1"},
		"a missing permission": {func(f *fixture) { f.mayOnly("get") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, nil)
			f.ref.Name = "second"
			test.given(f)
			_, err := f.doCreate(f.creation())
			f.want(eval.Rejected, err)
			var refused *eval.RefusedError
			var forbidden *eval.ForbiddenError
			switch {
			case test.want == "" && !errors.As(err, &forbidden):
				t.Errorf("%v, want a missing permission", err)
			case test.want == "":
			case !errors.As(err, &refused) || refused.Code != http.StatusForbidden || !strings.Contains(err.Error(), test.want):
				t.Errorf("%v, want a refusal by admission: %s", err, test.want)
			case refused.InTerminatingNamespace != strings.Contains(name, "namespace"):
				t.Errorf("the namespace is being deleted: %v", refused.InTerminatingNamespace)
			}
		})
	}
}
