package cas

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// jail is a priority level without a seat, in which a request is under way that does not end: API priority and fairness
// answers 429 to whatever else a user asks for there. (While there is none, it lets one through at a time.)
type jail struct {
	*fixture
	name   string
	http   *http.Client // asks as the inmate, and never waits by itself
	url    string
	lifted sync.Once
	held   context.Context // ends with the request that does not end otherwise
	free   context.CancelFunc
}

// inmate has the fixture's engine act as a user of its own, through the fixture's proxy, who is free as yet.
func inmate(f *fixture, name string) *jail {
	f.Helper()
	config := rest.CopyConfig(f.cluster.User(f.T, name, f.ref.Namespace, rbacv1.PolicyRule{
		APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "patch", "create"},
	}))
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		f.Fatal(err)
	}
	f.proxy = f.cluster.ProxyFor(f.T, config)
	f.engine = f.newEngine(f.proxy.Config)
	j := &jail{fixture: f, name: name, http: client, url: strings.TrimSuffix(config.Host, "/") + "/api/v1/namespaces/" + f.ref.Namespace + "/configmaps"}
	j.held, j.free = context.WithCancel(context.Background())
	return j
}

// lock returns when what the user asks for with the verb is turned away.
func (j *jail) lock(verb string) {
	j.Helper()
	flow := kubernetes.NewForConfigOrDie(j.cluster.Config).FlowcontrolV1()
	none := int32(0)
	meta := metav1.ObjectMeta{Name: j.name}
	if _, err := flow.PriorityLevelConfigurations().Create(j.Context(), &flowcontrolv1.PriorityLevelConfiguration{
		ObjectMeta: meta,
		Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
			Type: flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: &none, LendablePercent: &none, BorrowingLimitPercent: &none,
				LimitResponse: flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject},
			},
		},
	}, metav1.CreateOptions{}); err != nil {
		j.Fatal(err)
	}
	schema, err := flow.FlowSchemas().Create(j.Context(), &flowcontrolv1.FlowSchema{
		ObjectMeta: meta,
		Spec: flowcontrolv1.FlowSchemaSpec{
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: j.name},
			MatchingPrecedence:         2, // the least that is free
			Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
				Subjects: []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: j.name}}},
				ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
					Verbs: []string{verb, "list", "create"}, APIGroups: []string{""}, Resources: []string{"configmaps"}, Namespaces: []string{j.ref.Namespace},
				}},
			}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		j.Fatal(err)
	}
	j.Cleanup(j.lift) // both are the cluster's, not the namespace's
	j.await("its flow schema is known", func(r *http.Response) bool {
		return r.Header.Get("X-Kubernetes-PF-FlowSchema-UID") == string(schema.UID)
	})
	go func() {
		for j.held.Err() == nil { // it is turned away itself while what came before it is not quite over
			body, _ := io.Pipe()
			if r, err := j.ask(j.held, http.MethodPost, body); err == nil {
				_ = r.Body.Close()
			}
		}
	}()
	inARow := 0 // one may be due to the request before it
	j.await("requests are turned away", func(r *http.Response) bool {
		if inARow++; r.StatusCode != http.StatusTooManyRequests {
			inARow = 0
		}
		return inARow == 3
	})
}

// lift opens the jail, and returns when the API server knows. It may be called from a proxy's hook.
func (j *jail) lift() {
	j.lifted.Do(func() {
		flow := kubernetes.NewForConfigOrDie(j.cluster.Config).FlowcontrolV1()
		schema, err := flow.FlowSchemas().Get(context.Background(), j.name, metav1.GetOptions{})
		if err != nil {
			j.Error(err)
			return
		}
		if err := flow.FlowSchemas().Delete(context.Background(), j.name, metav1.DeleteOptions{}); err != nil {
			j.Error(err)
		}
		j.await("its flow schema is forgotten", func(r *http.Response) bool {
			return r.Header.Get("X-Kubernetes-PF-FlowSchema-UID") != string(schema.UID)
		})
		j.free()
		if err := flow.PriorityLevelConfigurations().Delete(context.Background(), j.name, metav1.DeleteOptions{}); err != nil {
			j.Error(err)
		}
	})
}

func (j *jail) ask(ctx context.Context, method string, body io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, j.url, body)
	if err != nil {
		return nil, err
	}
	return j.http.Do(r)
}

// await asks for a list, which is not granted, until is accepts a response.
func (j *jail) await(what string, is func(*http.Response) bool) {
	err := wait.PollUntilContextTimeout(context.Background(), 20*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		r, err := j.ask(ctx, http.MethodGet, nil)
		if err != nil {
			return false, err
		}
		return is(r), r.Body.Close()
	})
	if err != nil {
		j.Errorf("waiting until %s: %v", what, err)
	}
}

// onThrottled calls fn with each 429 that is an answer to the method, before it is passed on.
func (j *jail) onThrottled(method string, fn func()) {
	j.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		return testcluster.Fault{Answered: func(response *http.Response) {
			if r.Method == method && response.StatusCode == http.StatusTooManyRequests {
				fn()
			}
		}}
	})
}

func (j *jail) throttled(method string) (n int) {
	for _, r := range j.proxy.Requests() {
		if r.Method == method && r.Status == http.StatusTooManyRequests {
			n++
		}
	}
	return n
}

func TestPriorityAndFairnessIsWaitedFor(t *testing.T) {
	tests := map[string]struct {
		user, verb, method string
		gets, patches      int // including the requests that were throttled
	}{
		"writes": {user: "jailed-writer", verb: "patch", method: http.MethodPatch, gets: 1, patches: 2},
		"reads":  {user: "jailed-reader", verb: "get", method: http.MethodGet, gets: 2, patches: 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
			j := inmate(f, test.user)
			j.lock(test.verb)
			v := f.version()
			j.onThrottled(test.method, j.lift)
			result, err := f.do(f.swapping("foo", one, two, v))
			f.want(eval.Applied, err)
			f.wantData(map[string]string{"foo": "2", "bar": "1"})
			if result.Version != f.version() {
				t.Errorf("version %v, want %v: it was written more than once", result.Version, f.version())
			}
			if j.throttled(test.method) != 1 || f.proxy.Count(http.MethodGet) != test.gets || f.proxy.Count(http.MethodPatch) != test.patches {
				t.Errorf("%v, want %d reads and %d writes, one of them turned away", f.proxy.Requests(), test.gets, test.patches)
			}
			_, err = f.do(f.swapping("bar", one, two, v))
			f.want(eval.Applied, err) // the chain goes on
		})
	}
}

func TestPriorityAndFairnessOutlastsTheCaller(t *testing.T) {
	for verb, method := range map[string]string{"get": http.MethodGet, "patch": http.MethodPatch} {
		t.Run(verb, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			j := inmate(f, "jailed-for-good-"+verb)
			j.lock(verb)
			v := f.version()
			passed := &deadline{Context: t.Context(), done: make(chan struct{})}
			j.onThrottled(method, sync.OnceFunc(func() { close(passed.done) }))
			_, err := f.engine.Swap(passed, f.swapping("foo", one, two))
			var canceled *eval.CanceledError
			if !errors.As(err, &canceled) || !errors.Is(canceled.Err, context.DeadlineExceeded) {
				t.Errorf("%v, want that nothing was written in time", err)
			}
			f.engine.Close()
			if j.throttled(method) == 0 || f.version() != v {
				t.Errorf("the object is at %v, was at %v: %v", f.version(), v, f.proxy.Requests())
			}
		})
	}
}
