package cas

import (
	"context"
	"errors"
	"iter"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// pageSize is how many ConfigMaps one request lists. Each may have more than 1 MiB, and a page is in memory
// twice: as the response, and decoded.
const pageSize = 16

// Selection selects ConfigMaps of a namespace.
type Selection struct {
	Namespace      string
	Labels, Fields string // a label selector and a field selector; empty for all
	Limit          int64  // the most ConfigMaps to read; 0 for all
}

// Listed is one ConfigMap of a list.
type Listed struct {
	Ref eval.Ref
	*eval.Snapshot
}

// List reads ConfigMaps in the order of their names, one page at a time, while the caller asks for more. It
// ends after an error, and keeps nothing of the ConfigMaps in memory. If the API server no longer has the
// version of the first page, the list continues with the present state.
func (e *Engine) List(ctx context.Context, s Selection) iter.Seq2[Listed, error] {
	return func(yield func(Listed, error) bool) {
		for left, next := s.Limit, ""; ; {
			limit := int64(pageSize)
			if s.Limit > 0 {
				limit = min(limit, left)
			}
			begun := e.client.Now()
			page, err := e.page(ctx, s, limit, next)
			if err != nil {
				yield(Listed{}, err)
				return
			}
			for i := range page.Items {
				cm := &page.Items[i]
				if !yield(Listed{eval.Ref{Namespace: cm.Namespace, Name: cm.Name}, eval.NewSnapshot(cm, begun)}, nil) {
					return
				}
			}
			left, next = left-int64(len(page.Items)), page.Continue
			if next == "" || s.Limit > 0 && left <= 0 {
				return
			}
		}
	}
}

// page reads one page in a call of its own: the Engine can be closed between two pages.
func (e *Engine) page(
	ctx context.Context, s Selection, limit int64, next string,
) (page *corev1.ConfigMapList, err error) {
	ref := eval.Ref{Namespace: s.Namespace}
	err = e.call(ctx, ref, func(ctx context.Context) (err error) {
		begun := e.client.Now()
		options := metav1.ListOptions{LabelSelector: s.Labels, FieldSelector: s.Fields, Limit: limit, Continue: next}
		page, err = e.client.Page(ctx, s.Namespace, options)
		status := apierrors.APIStatus(nil)
		// Without the version of the first page, the API server answers with a token that continues at the present state.
		if errors.As(err, &status) && status.Status().Code == http.StatusGone && status.Status().Continue != "" {
			options.Continue = status.Status().Continue
			page, err = e.client.Page(ctx, s.Namespace, options)
		}
		if err != nil && ctx.Err() != nil {
			err = &eval.CanceledError{Ref: ref, Host: e.client.Host, Err: context.Cause(ctx)}
		}
		if e.trace != nil {
			e.trace(ctx, Event{
				Operation: "list", Ref: ref, Attempts: 1, Verdict: eval.VerdictOf(err), Duration: e.client.Now().Sub(begun),
			})
		}
		return err
	})
	return page, err
}
