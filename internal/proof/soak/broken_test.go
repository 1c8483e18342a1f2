package soak

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster/controlplane"
)

// txn is a transaction of two keys as it must not be: one that is unguarded does not compare its guard when it writes, and a
// piecemeal one writes its keys one by one.
func (p *plainWriter) txn(ctx context.Context, draw *rand.Rand, configMap string) {
	first := draw.IntN(len(p.Keys))
	key, other := p.Keys[first], p.Keys[(first+1)%len(p.Keys)]
	read := &op{Kind: readOp, ConfigMap: configMap, Key: key, Also: []keyPart{{Key: other}}, Verdict: eval.Rejected}
	p.begin(read)
	object, err := p.client.Get().Namespace(p.Namespace).Resource(p.resource()).Name(configMap).Do(ctx).Get()
	cm := shown(object)
	if err == nil {
		read.Verdict, read.Version, read.Live, read.Also[0].Live = eval.Applied, versionOf(cm), entryOf(cm, key), entryOf(cm, other)
	}
	p.end(read)
	if err != nil {
		p.pause()
		return
	}
	o := &op{Kind: swapOp, ConfigMap: configMap, Key: key, Expect: read.Live, New: eval.Text(p.fresh()), Verdict: eval.Rejected}
	o.Also = []keyPart{{Key: other, Expect: read.Also[0].Live, New: read.Also[0].Live, IsGuard: p.Role == unguarded}}
	if p.Role == piecemeal {
		o.Also[0].New = eval.Text(p.fresh())
	}
	p.begin(o)
	var after *corev1.ConfigMap
	for _, part := range o.parts() {
		if err == nil && !part.IsGuard {
			after, err = p.testAndSet(ctx, configMap, part)
		}
	}
	if err == nil {
		o.Verdict, o.Wrote, o.Version = eval.Applied, true, versionOf(after)
		o.Previous, o.Live = o.Expect, entryOf(after, key)
		o.Also[0].Previous, o.Also[0].Live = o.Also[0].Expect, entryOf(after, other)
	}
	p.end(o)
}

// testAndSet swaps one key.
func (p *plainWriter) testAndSet(ctx context.Context, configMap string, part keyPart) (*corev1.ConfigMap, error) {
	from, _ := part.Expect.Text()
	to, _ := part.New.Text()
	body, err := json.Marshal([]map[string]string{
		{"op": "test", "path": "/data/" + part.Key, "value": p.sent(from)}, {"op": "add", "path": "/data/" + part.Key, "value": p.sent(to)},
	})
	if err != nil {
		return nil, err
	}
	after, err := p.client.Patch(types.JSONPatchType).Namespace(p.Namespace).Resource(p.resource()).Name(configMap).Body(body).
		MaxRetries(0).Do(ctx).Get()
	return shown(after), err
}

// The checks must not pass writers that take for a transaction what is none.
func testBrokenTxns(t *testing.T, c *controlplane.Cluster) {
	t.Helper()
	for _, r := range []role{unguarded, piecemeal} {
		t.Run(string(r), func(t *testing.T) {
			f := newField(t, c, []string{"one"}, []string{"a", "b"}, initial, nil)
			apart := f.together()
			for i := range 2 {
				f.start(plan{Role: r, Number: i, Goroutines: 1}, f.http.Config)
			}
			f.wantObjections(apart)
		})
	}
}
