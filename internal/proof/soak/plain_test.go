package soak

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// plainWriter does what one writes with client-go: get, compare, update, where the API server holds the update to the version
// that was read. A broken one patches instead, whatever the version.
type plainWriter struct {
	*worker
	client rest.Interface
	count  atomic.Int64
}

func newPlainWriter(w *worker) (func(int, *rand.Rand), func(), error) {
	clientset, err := kubernetes.NewForConfig(w.config)
	if err != nil {
		return nil, nil, err
	}
	p := &plainWriter{worker: w, client: clientset.CoreV1().RESTClient()}
	return p.loop, func() {}, nil
}

func (p *plainWriter) loop(_ int, draw *rand.Rand) {
	for p.stop.Err() == nil {
		ctx, cancel := context.WithTimeout(context.Background(), p.Deadline)
		configMap := p.ConfigMaps[draw.IntN(len(p.ConfigMaps))]
		switch key := p.Keys[draw.IntN(len(p.Keys))]; {
		case p.Role == plain && draw.IntN(4) == 0:
			p.write(ctx, draw, configMap, p.Keys[len(p.Keys)-1])
		case p.Role == unguarded, p.Role == piecemeal:
			p.txn(ctx, draw, configMap)
		default:
			p.swap(ctx, configMap, key)
		}
		cancel()
	}
}

func (p *plainWriter) fresh() string { return p.Name + ":" + strconv.FormatInt(p.count.Add(1), 10) }

// swap is get, compare, update.
func (p *plainWriter) swap(ctx context.Context, configMap, key string) {
	read := &op{Kind: readOp, ConfigMap: configMap, Key: key, Verdict: eval.Rejected}
	p.begin(read)
	object, err := p.client.Get().Namespace(p.Namespace).Resource(p.resource()).Name(configMap).Do(ctx).Get()
	cm := shown(object)
	if err == nil {
		read.Verdict, read.Version, read.Live = eval.Applied, versionOf(cm), entryOf(cm, key)
	}
	p.end(read)
	if err != nil {
		p.pause()
		return
	}

	value := p.fresh()
	o := &op{Kind: swapOp, ConfigMap: configMap, Key: key, Expect: read.Live, New: eval.Text(value)}
	if p.Role == broken {
		p.send(ctx, o, p.client.Patch(types.MergePatchType).Body([]byte(fmt.Sprintf(`{"data":{%q:%q}}`, key, p.sent(value)))))
		return
	}
	delete(cm.BinaryData, key)
	if cm.Data == nil {
		cm.Data = map[string]string{}
	}
	cm.Data[key] = value
	p.send(ctx, o, p.client.Put().Body(p.object(cm)))
}

// write writes one key whatever is there, and whatever the version is.
func (p *plainWriter) write(ctx context.Context, draw *rand.Rand, configMap, key string) {
	value := p.fresh()
	o := &op{Kind: writeOp, ConfigMap: configMap, Key: key, New: eval.Text(value)}
	kind, body := types.MergePatchType, fmt.Sprintf(`{"data":{%q:%q},"binaryData":{%q:null}}`, key, p.sent(value), key)
	if draw.IntN(2) == 0 {
		kind, body = types.JSONPatchType, fmt.Sprintf(`[{"op":"add","path":"/data/%s","value":%q}]`, key, p.sent(value))
	}
	p.send(ctx, o, p.client.Patch(kind).Body([]byte(body)))
}

// send sends a write once.
func (p *plainWriter) send(ctx context.Context, o *op, request *rest.Request) {
	p.begin(o)
	object, err := request.Namespace(p.Namespace).Resource(p.resource()).Name(o.ConfigMap).
		VersionedParams(&metav1.UpdateOptions{FieldManager: p.Name}, scheme.ParameterCodec).MaxRetries(0).Do(ctx).Get()
	after := shown(object)
	switch {
	case err == nil:
		o.Verdict, o.Version, o.Wrote = eval.Applied, versionOf(after), true
		o.Previous, o.Live = o.Expect, entryOf(after, o.Key)
	case apierrors.IsConflict(err), apierrors.IsInvalid(err):
		o.Verdict = eval.Rejected
	default:
		o.Verdict = eval.Unknown
	}
	p.end(o)
	if err != nil {
		p.pause()
	}
}

func versionOf(cm *corev1.ConfigMap) eval.Version {
	return eval.Version{UID: string(cm.UID), ResourceVersion: cm.ResourceVersion}
}

func entryOf(cm *corev1.ConfigMap, key string) eval.Value {
	if v, ok := cm.Data[key]; ok {
		return eval.Text(v)
	}
	if v, ok := cm.BinaryData[key]; ok {
		return eval.Binary(v)
	}
	return eval.Value{}
}
