package cas

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// quota limits the number of the namespace's ConfigMaps. The namespace has one. No controller runs, so the test
// sets the status.
func (f *fixture) quota(limit int64) {
	f.Helper()
	quotas := f.cluster.Client().CoreV1().ResourceQuotas(f.ref.Namespace)
	hard := corev1.ResourceList{"count/configmaps": *resource.NewQuantity(limit, resource.DecimalSI)}
	q := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "quota"}, Spec: corev1.ResourceQuotaSpec{Hard: hard}}
	q, err := quotas.Create(f.Context(), q, metav1.CreateOptions{})
	if err != nil {
		f.Fatal(err)
	}
	q.Status = corev1.ResourceQuotaStatus{Hard: hard, Used: corev1.ResourceList{"count/configmaps": resource.MustParse("1")}}
	if _, err := quotas.UpdateStatus(f.Context(), q, metav1.UpdateOptions{}); err != nil {
		f.Fatal(err)
	}
}

// busyQuota has others write the quota as fast as they can, so that the API server's own update of it, when it creates something,
// comes too late again and again. It ends with what it gives.
func (f *fixture) busyQuota() (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	var begun sync.WaitGroup
	for i := range 4 {
		begun.Add(1)
		wg.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				_, err := f.cluster.Client().CoreV1().ResourceQuotas(f.ref.Namespace).Patch(ctx, "quota", types.MergePatchType,
					fmt.Appendf(nil, `{"metadata":{"annotations":{"a%d":"%d"}}}`, i, n), metav1.PatchOptions{})
				if err != nil && ctx.Err() == nil {
					f.Error(err)
				}
				if n == 0 {
					begun.Done()
				}
			}
		})
	}
	begun.Wait()
	return sync.OnceFunc(func() { cancel(); wg.Wait() })
}

// Given a quota that others write at the same time, so that the API server cannot record a creation in it, and
// answers 409 about the quota; when the others stop; then the creation is tried again, and is applied.
func TestCreationThatAnswersForABusyQuotaIsTriedAgain(t *testing.T) {
	f := newFixture(t, nil)
	f.quota(1000)
	var refused atomic.Bool
	for n := 0; n < 200 && !refused.Load(); n++ { // the API server tries a few times by itself, and may succeed
		f.ref.Name = "made-" + strconv.Itoa(n)
		end := f.busyQuota()
		posts := 0
		f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
			if r.Method != http.MethodPost {
				return testcluster.Fault{}
			}
			posts++
			return testcluster.Fault{Answered: func(r *http.Response) {
				end()
				if r.StatusCode == http.StatusConflict {
					refused.Store(true)
				}
			}}
		})
		result, err := f.doCreate(f.creation())
		end()
		f.want(eval.Applied, err)
		if t.Failed() {
			return
		}
		if result.After.Version() != f.version() || posts > 3 {
			t.Errorf("version %v after %d requests, and %v is there", result.After.Version(), posts, f.version())
		}
	}
	if !refused.Load() {
		t.Error("the API server never answered with 409")
	}
}

// Given the same answer, word by word; when it comes twice, and when it comes before another made the ConfigMap; then the creation is
// tried again, and is applied, or is a conflict.
func TestCreationThatIsRefusedForABusyQuotaIsJudgedAgain(t *testing.T) {
	busy := &testcluster.Answer{
		Status: http.StatusConflict, Header: http.Header{"Content-Type": {"application/json"}},
		Body: `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Operation cannot be fulfilled on resourcequotas ` +
			`\"quota\": the object has been modified; please apply your changes to the latest version and try again","reason":"Conflict",` +
			`"details":{"name":"quota","kind":"resourcequotas"},"code":409}`,
	}
	for name, test := range map[string]struct {
		times   int
		another bool
		want    eval.Verdict
	}{
		"twice":                         {2, false, eval.Applied},
		"once, and another comes first": {1, true, eval.Conflict},
	} {
		t.Run(name, func(t *testing.T) {
			f := newEmptyFixture(t)
			posts := 0
			f.onEach(http.MethodPost, func() testcluster.Fault {
				if posts++; posts > test.times {
					return testcluster.Fault{}
				}
				if test.another {
					f.make(map[string]string{"foo": "9"})
				}
				return testcluster.Fault{Answer: busy}
			})
			_, err := f.doCreate(f.creation())
			f.want(test.want, err)
		})
	}
}
