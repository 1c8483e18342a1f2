// Package evaltest has what tests of package eval and of package cas share: draws from a fuzzer's bytes, objects that hold given entries, and
// a model of transactions that come one after the other.
//
// It knows entries, transactions and ConfigMaps, and must not know how the engine queues, sends or waits. Only tests import it.
package evaltest

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Choices makes decisions of a fuzzer's bytes; when they are used up, all further decisions are 0.
type Choices []byte

// Pick is one of 0 to n-1, for n up to 256.
func (c *Choices) Pick(n int) int {
	if len(*c) == 0 {
		return 0
	}
	b := (*c)[0]
	*c = (*c)[1:]
	return int(b) % n
}

// Coin is one of two.
func (c *Choices) Coin() bool { return c.Pick(2) == 1 }

// More reports whether any bytes are left.
func (c *Choices) More() bool { return len(*c) > 0 }

// Texts are special to JSON, to HTML, to Unicode or to Kubernetes; the first two of them are the same after NFC.
var Texts = []string{
	"caf\u00e9", "cafe\u0301", "1", "2", "", "a<b&c>d", `"\`, "\u2028\u2029", "a\r\nb\t", "😀", "\x00\x1f\x7f", "null", "\ufffd", "\ufeff", "~/~0~1",
}

// Value draws one of a few values.
func (c *Choices) Value() eval.Value {
	switch c.Pick(8) {
	case 0:
		return eval.Value{}
	case 1, 2:
		return eval.Binary([]byte(Texts[c.Pick(len(Texts))]))
	case 3:
		return eval.Binary([]byte{0, 255, byte(c.Pick(256))})
	default:
		return eval.Text(Texts[c.Pick(len(Texts))])
	}
}

// Entries draws the entries of a ConfigMap with some of the keys.
func (c *Choices) Entries(keys ...string) map[string]eval.Value {
	all := map[string]eval.Value{}
	for _, key := range keys {
		if e := c.Value(); !e.IsAbsent() {
			all[key] = e
		}
	}
	return all
}

// ConfigMapOf is a ConfigMap that holds the entries.
func ConfigMapOf(entries map[string]eval.Value) *corev1.ConfigMap {
	cm := &corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{Kind: "ConfigMap", APIVersion: "v1"},
		ObjectMeta: metav1.ObjectMeta{
			Name: "shared", UID: "u", ResourceVersion: "7", Labels: map[string]string{"a<b": "c"}, Annotations: map[string]string{"note": "\u2028"},
		},
	}
	for key, e := range entries {
		if v, ok := e.Text(); ok {
			if cm.Data == nil {
				cm.Data = map[string]string{}
			}
			cm.Data[key] = v
		} else if v, ok := e.Binary(); ok {
			if cm.BinaryData == nil {
				cm.BinaryData = map[string][]byte{}
			}
			cm.BinaryData[key] = v
		}
	}
	return cm
}

// Seeds adds byte strings, the same each time, so that a plain run of the tests takes every branch as well.
func Seeds(f *testing.F, count int) {
	f.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for n := range count {
		b := make([]byte, 8+n%128)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		f.Add(b)
	}
}

// filler is as long as any ConfigMap, and longer.
var filler = make([]byte, eval.MaxSize+2)

// Filler is so many bytes, which are not to be changed.
func Filler(size int) []byte { return filler[:size] }

// Marshal is an object as JSON.
func Marshal(t *testing.T, object any) []byte {
	t.Helper()
	raw, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Unmarshal is the inverse of Marshal.
func Unmarshal(t *testing.T, raw []byte) *corev1.ConfigMap {
	t.Helper()
	cm := &corev1.ConfigMap{}
	if err := json.Unmarshal(raw, cm); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return cm
}
