package cas

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	registrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// validates has a webhook validate writes of the namespace's ConfigMaps from when validates returns. A nil
// answer is no answer at all.
func (f *fixture) validates(answer func(raw string) *admissionv1.AdmissionResponse) {
	f.Helper()
	const probe = "probe"
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			f.Error(err)
		}
		raw := string(review.Request.Object.Raw)
		response := &admissionv1.AdmissionResponse{Result: &metav1.Status{Message: probe}}
		if !strings.Contains(raw, probe) {
			if response = answer(raw); response == nil {
				select {
				case <-r.Context().Done():
				case <-f.Context().Done():
				}
				return
			}
		}
		response.UID, review.Request = review.Request.UID, nil
		review.Response = response
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(review) // the API server may have left
	}))
	f.Cleanup(server.Close)
	hooks := kubernetes.NewForConfigOrDie(f.cluster.Config).AdmissionregistrationV1().ValidatingWebhookConfigurations()
	none := registrationv1.SideEffectClassNone
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	_, err := hooks.Create(f.Context(), &registrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: f.ref.Namespace},
		Webhooks: []registrationv1.ValidatingWebhook{{
			Name:              "check.example.com",
			ClientConfig:      registrationv1.WebhookClientConfig{URL: new(server.URL), CABundle: ca},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": f.ref.Namespace}},
			Rules: []registrationv1.RuleWithOperations{{
				Operations: []registrationv1.OperationType{registrationv1.Update},
				Rule:       registrationv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}},
			}},
			SideEffects: &none, AdmissionReviewVersions: []string{"v1"}, TimeoutSeconds: new(int32(30)),
		}},
	}, metav1.CreateOptions{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = hooks.Delete(context.Background(), f.ref.Namespace, metav1.DeleteOptions{}) }) // the cluster's, not the namespace's
	err = wait.PollUntilContextTimeout(f.Context(), 20*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		_, err := f.cluster.Client().CoreV1().ConfigMaps(f.ref.Namespace).Patch(ctx, f.ref.Name, types.MergePatchType,
			[]byte(`{"data":{"probe":"`+probe+`"}}`), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		return err != nil && strings.Contains(err.Error(), probe), nil
	})
	if err != nil {
		f.Fatalf("the webhook is not asked: %v", err)
	}
}

// A write of unknown outcome blocks its object until its verdict is unknown. Then the other keys are written.
func TestWebhookThatFailsForOneKey(t *testing.T) {
	for name, response := range map[string]*admissionv1.AdmissionResponse{
		"answers 429":     {Result: &metav1.Status{Code: http.StatusTooManyRequests, Message: "slow down"}},
		"does not answer": nil,
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"bad": "1", "good": "1"})
			f.engine.limits.settle = 100 * time.Millisecond
			asked := make(chan struct{})
			report := sync.OnceFunc(func() { close(asked) })
			f.validates(func(raw string) *admissionv1.AdmissionResponse {
				if !strings.Contains(raw, `"bad":"2"`) {
					return &admissionv1.AdmissionResponse{Allowed: true}
				}
				report()
				return response.DeepCopy()
			})
			bad := make(chan error, 1)
			go func() {
				_, err := f.do(f.swapping("bad", one, two))
				bad <- err
			}()
			<-asked
			_, err := f.do(f.swapping("good", one, two))
			f.want(eval.Applied, err)
			f.want(eval.Unknown, <-bad)
			f.wantData(map[string]string{"bad": "1", "good": "2"})
		})
	}
}
