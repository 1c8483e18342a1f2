package cas

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

// choices makes decisions of a fuzzer's bytes; when they are used up, all further decisions are 0.
type choices []byte

// pick is one of 0 to n-1, for n up to 256.
func (c *choices) pick(n int) int {
	if len(*c) == 0 {
		return 0
	}
	b := (*c)[0]
	*c = (*c)[1:]
	return int(b) % n
}

func (c *choices) coin() bool { return c.pick(2) == 1 }

func (c *choices) more() bool { return len(*c) > 0 }

// texts are special to JSON, to HTML, to Unicode or to Kubernetes; the first two of them are the same after NFC.
var texts = []string{
	"caf\u00e9", "cafe\u0301", "1", "2", "", "a<b&c>d", `"\`, "\u2028\u2029", "a\r\nb\t", "😀", "\x00\x1f\x7f", "null", "\ufffd", "\ufeff", "~/~0~1",
}

// entry is any of a few.
func (c *choices) entry() Entry {
	switch c.pick(8) {
	case 0:
		return Entry{}
	case 1, 2:
		return Binary([]byte(texts[c.pick(len(texts))]))
	case 3:
		return Binary([]byte{0, 255, byte(c.pick(256))})
	default:
		return Text(texts[c.pick(len(texts))])
	}
}

// entries is what a ConfigMap with keys of the given ones holds.
func (c *choices) entries(keys ...string) map[string]Entry {
	all := map[string]Entry{}
	for _, key := range keys {
		if e := c.entry(); !e.IsAbsent() {
			all[key] = e
		}
	}
	return all
}

// configMapOf is a ConfigMap that holds the entries.
func configMapOf(entries map[string]Entry) *corev1.ConfigMap {
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

// seeds adds byte strings, the same each time, so that a plain run of the tests takes every branch as well.
func seeds(f *testing.F, count int) {
	f.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for n := range count {
		b := make([]byte, 8+n%64)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		f.Add(b)
	}
}

func FuzzEntry(f *testing.F) {
	for i, a := range texts {
		f.Add(byte(i), a, byte(i/3), texts[(i+1)%len(texts)])
		f.Add(byte(1), a, byte(2), a)
	}
	f.Add(byte(1), texts[0], byte(1), texts[1])
	f.Add(byte(1), "\xff", byte(1), "\xfe")
	f.Add(byte(1), "e\xff\u0301", byte(1), "\u00e9\xff")
	of := func(kind byte, content string) Entry {
		return []Entry{{}, Text(content), Binary([]byte(content))}[kind%3]
	}
	f.Fuzz(func(t *testing.T, kindA byte, contentA string, kindB byte, contentB string) {
		a, b := of(kindA, contentA), of(kindB, contentB)
		if a.Holds(b) != (a.Digest() == b.Digest()) || a.Holds(b) != b.Holds(a) || !a.Holds(a) {
			t.Errorf("%#v and %#v: %t and %t, digests %s and %s", a, b, a.Holds(b), b.Holds(a), a.Digest(), b.Digest())
		}
		if a == b && !a.Holds(b) || kindA%3 != kindB%3 && a.Holds(b) || kindA%3 == 2 && a.Holds(b) != (a == b) {
			t.Errorf("%#v and %#v: %t", a, b, a.Holds(b))
		}
		if (judging.Digest(map[string]Entry{"k": a}) == judging.Digest(map[string]Entry{"k": b})) != (a == b) {
			t.Errorf("%#v and %#v: the digest of the whole is not to the byte", a, b)
		}
		raw, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		if got := b; json.Unmarshal(raw, &got) != nil || got != a || !utf8.Valid(raw) {
			t.Errorf("%#v came back from %s as %#v", a, raw, got)
		}
	})
}
