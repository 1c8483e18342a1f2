package claim

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

// tagBytes is the length of a tag. It is short on purpose: the key is stored beside it, and whoever has the state could test guesses against
// a longer one. So a tag tells drift, and never admits a write: one foreign value in 65,536 has the same one.
const tagBytes = 2

// sealer makes what private state keeps of values: of a ConfigMap's whole values and digests, of a Secret's tags, and whether a key exists.
type sealer struct {
	kind cas.Kind
	key  []byte // of the tags
}

// getSealer makes the sealer of a resource, with a new key if there is none yet.
func getSealer(ctx context.Context, from privateReader, kind cas.Kind) (sealer, diag.Diagnostics) {
	if kind != cas.Secret {
		return sealer{kind: kind}, nil
	}
	key, ok, diags := getPrivate[[]byte](ctx, from, privateTagKey)
	if !ok {
		key = []byte(rand.Text())
	}
	return sealer{kind, key}, diags
}

// set stores the key of the tags.
func (s sealer) set(ctx context.Context, to privateWriter) diag.Diagnostics {
	if s.key == nil {
		return nil
	}
	return setPrivate(ctx, to, privateTagKey, s.key)
}

// digest is what a baseline keeps of an entry.
func (s sealer) digest(e cas.Entry) string {
	if s.kind != cas.Secret || e.IsAbsent() {
		return e.Digest()
	}
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(e.Digest()))
	return hex.EncodeToString(mac.Sum(nil)[:tagBytes])
}

// objectDigest is what a planned removal keeps of an object: nothing of a Secret.
func (s sealer) objectDigest(o *cas.Observation) string {
	if s.kind == cas.Secret {
		return ""
	}
	return o.Digest()
}

// entry is what private state keeps of an entry.
func (s sealer) entry(e cas.Entry) cas.Entry {
	if s.kind == cas.Secret && !e.IsAbsent() {
		return cas.Anything()
	}
	return e
}

// entries is entry for several.
func (s sealer) entries(all map[string]cas.Entry) map[string]cas.Entry {
	kept := make(map[string]cas.Entry, len(all))
	for key, e := range all {
		kept[key] = s.entry(e)
	}
	return kept
}
