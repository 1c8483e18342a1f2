package claim

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
)

// Keys of the private state.
const (
	// privateOriginal holds the entry of each key that the resource first found, for deletion_policy "restore". Of a Secret's, only whether
	// it existed.
	privateOriginal = "original"
	// privateWritten holds the baseline of drift: for each key, the digest of what it held after the resource last wrote it. Of a whole
	// ConfigMap, that for each part.
	privateWritten = "written"
	// privateObserved holds the tags of what the last read found in the keys of a Secret. Of a ConfigMap's the state has the values.
	privateObserved = "observed"
	// privateTagKey holds the key of a Secret's tags.
	privateTagKey = "tag key"
	// privateInstance holds a token that tells this resource instance from others.
	privateInstance = "instance"
	// privateInDoubt holds digests of what writes of unknown outcome may have left, until one is known.
	privateInDoubt = "in doubt"
	// privateObservation holds what a planned delete goes by, or what a planned create needs. It is in plans only, never in a state that was applied.
	privateObservation = "observation"
	// privatePlanned holds what the first plan of a change leaves for its apply, where the client stores that. It is in plans only.
	privatePlanned = "planned"
	// privateImport holds the keys that an import named, none where it is of all, until the read that follows it.
	privateImport = "import"
)

type (
	originals = map[string]cas.Entry // in privateOriginal
	digests   = map[string]string    // in privateWritten and privateObserved
	doubts    = map[string][]string  // in privateInDoubt
)

// kept is what is known of keys for as long as the resource exists.
type kept struct {
	first    originals
	written  digests
	observed digests // of a Secret
	inDoubt  doubts
	sealer   sealer
}

// foreign reports whether a key holds what this resource did not write, nor found at its adoption or import, as far as that is known.
func (k kept) foreign(key string, live cas.Entry) bool {
	digest, seen := k.digest(key, live)
	written, known := k.written[key]
	return known && seen && digest != written && !slices.Contains(k.inDoubt[key], digest)
}

// digest is what is compared with the baseline. It is false for a value that no read has found: a state does not have those of a Secret.
func (k kept) digest(key string, live cas.Entry) (digest string, found bool) {
	if live.IsAnything() {
		digest, found = k.observed[key]
		return digest, found
	}
	return k.sealer.digest(live), true
}

// same reports whether a key holds the value.
func (k kept) same(key string, value, live cas.Entry) bool {
	digest, found := k.digest(key, live)
	return found && digest == k.sealer.digest(value)
}

// getKept reads what is kept of keys of an object.
func getKept(ctx context.Context, from privateReader, of cas.Kind) (k kept, diags diag.Diagnostics) {
	k.first, _, diags = getPrivate[originals](ctx, from, privateOriginal)
	written, _, more := getPrivate[digests](ctx, from, privateWritten)
	diags.Append(more...)
	observed, _, more := getPrivate[digests](ctx, from, privateObserved)
	diags.Append(more...)
	inDoubt, _, more := getPrivate[doubts](ctx, from, privateInDoubt)
	diags.Append(more...)
	k.written, k.observed, k.inDoubt = written, observed, inDoubt
	k.sealer, more = getSealer(ctx, from, of)
	return k, append(diags, more...)
}

// setKept stores what is kept of keys after a write, or a read of what was imported.
func setKept(ctx context.Context, to privateWriter, k kept) diag.Diagnostics {
	diags := setPrivate(ctx, to, privateOriginal, k.first)
	diags.Append(setPrivate(ctx, to, privateWritten, k.written)...)
	diags.Append(k.sealer.set(ctx, to)...)
	diags.Append(k.setObserved(ctx, to)...)
	return append(diags, to.SetKey(ctx, privateInDoubt, nil)...)
}

// note notes the tag of what a key of a Secret holds.
func (k kept) note(key, tag string) {
	if k.observed != nil && tag != "" {
		k.observed[key] = tag
	}
}

func (k kept) setObserved(ctx context.Context, to privateWriter) diag.Diagnostics {
	if k.observed == nil {
		return nil
	}
	return setPrivate(ctx, to, privateObserved, k.observed)
}

// observation is what the plan of a delete saw. ID says of which resource: in a replace, Terraform hands the observation on to the call
// that plans the new one.
type observation struct {
	ID              string               `json:"id"`
	UID             string               `json:"uid,omitempty"`
	ResourceVersion string               `json:"resource_version,omitempty"`
	Digest          string               `json:"digest,omitempty"`   // of the whole ConfigMap
	Entries         map[string]cas.Entry `json:"entries,omitzero"`   // nil: what the prior state says, which no read of the plan confirmed
	Keys            []string             `json:"keys,omitempty"`     // that the removal is about
	Keeps           []string             `json:"keeps,omitempty"`    // those that it leaves in place
	OnDrift         string               `json:"on_drift,omitempty"` // of the plan of a replace; empty: that of the state
	Needs           []string             `json:"needs,omitempty"`    // not of a delete, but of a create: the keys that it needs as they are
}

type privateReader interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

type privateWriter interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// Private is the private state of a resource.
type Private interface {
	privateReader
	privateWriter
}

// getPrivate reads a key of the private state, and reports whether it exists.
func getPrivate[T any](ctx context.Context, from privateReader, key string) (T, bool, diag.Diagnostics) {
	var value T
	raw, diags := from.GetKey(ctx, key)
	if diags.HasError() || len(raw) == 0 {
		return value, false, diags
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		diags.Append(unreadable(key))
		return value, false, diags
	}
	return value, true, diags
}

func unreadable(key string) diag.Diagnostic {
	return diagnose.TitleUnreadablePrivateState.With(diagnose.Detail("The provider cannot read the private state of this resource.",
		[]diagnose.Fact{{Name: "Part", Value: key}}, "Run terraform state rm with the address above, then import the resource again."))
}

// setPrivate writes a key of the private state.
func setPrivate(ctx context.Context, to privateWriter, key string, value any) diag.Diagnostics {
	raw, err := json.Marshal(value)
	if err != nil {
		return diag.Diagnostics{diagnose.TitleUnexpectedError.With(diagnose.Detail("The private state could not be encoded.",
			[]diagnose.Fact{{Name: "Cause", Value: err.Error()}}, diagnose.Report))}
	}
	return to.SetKey(ctx, key, raw)
}

// Forget drops what belongs in plans only.
func Forget(ctx context.Context, to privateWriter) diag.Diagnostics {
	return append(to.SetKey(ctx, privateObservation, nil), to.SetKey(ctx, privatePlanned, nil)...)
}

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

// baselineDigits is how many hexadecimal digits a baseline keeps of a digest: 128 bits. Terraform writes the whole state after each resource, so
// each byte of a resource in it costs time.
const baselineDigits = 32

// digest is what a baseline keeps of an entry.
func (s sealer) digest(e cas.Entry) string {
	if s.kind != cas.Secret || e.IsAbsent() {
		where, digits, holds := strings.Cut(e.Digest(), ":")
		if !holds {
			return where
		}
		return where + ":" + digits[:baselineDigits]
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
