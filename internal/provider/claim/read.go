package claim

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Seen is the result of a refresh.
type Seen struct {
	*cas.Observation

	Kind     cas.Kind
	Keys     []string // that the refresh is about, sorted: also those that vanished since they were written
	IsImport bool     // the first read after an import
}

// Read reads the keys of a state. The first read after an import also reads the keys that the import named.
func (r *Run) Read(ctx context.Context, held *Claim, private Private) (*Seen, diag.Diagnostics) {
	timeout, diags := held.Timeouts.Read(ctx, terms.DefaultTimeout)
	// Vanished keys are looked up too: if one comes back, that is drift.
	kept, more := getKept(ctx, private, held.Ref.Kind)
	diags.Append(more...)
	imported, isImport, more := getPrivate[[]string](ctx, private, privateImport)
	diags.Append(more...)
	if diags.HasError() {
		return nil, diags
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	age := cas.Fresh
	if isImport && len(imported) == 0 {
		age = 0 // of all keys none may be missing
	}
	keys := slices.Compact(slices.Sorted(slices.Values(slices.AppendSeq(append(held.Keys(), imported...), maps.Keys(kept.written)))))
	observation, err := r.Observe(ctx, held.Ref, age, func(seen *cas.Observation) bool {
		return slices.ContainsFunc(keys, func(key string) bool { return seen.Entry(key).IsAbsent() })
	})
	if err != nil {
		diags.Append(held.About(terms.OpRead).Diagnose(err))
		return nil, diags
	}
	if kept.settle(observation) {
		diags.Append(setPrivate(ctx, private, privateWritten, kept.written)...)
	}
	diags.Append(kept.observe(observation).setObserved(ctx, private)...)
	if isImport && len(imported) == 0 {
		keys = slices.Sorted(maps.Keys(observation.Entries()))
	}
	return &Seen{Observation: observation, Kind: held.Ref.Kind, Keys: keys, IsImport: isImport}, diags
}

// settle moves the baseline of keys that are found to hold what a write of unknown outcome was to leave. It reports whether it did.
func (k kept) settle(found *cas.Observation) (moved bool) {
	for key, digests := range k.inDoubt {
		digest := k.sealer.digest(found.Entry(key))
		if written, known := k.written[key]; known && written != digest && slices.Contains(digests, digest) {
			k.written[key], moved = digest, true
		}
	}
	return moved
}

// observe adds the tags of what a read found in the keys of a Secret that have a baseline.
func (k kept) observe(found *cas.Observation) kept {
	if k.sealer.kind == cas.Secret && k.written != nil {
		k.observed = digests{}
		for key := range k.written {
			k.observed[key] = k.sealer.digest(found.Entry(key))
		}
	}
	return k
}

// Missing gives the keys that do not exist.
func (s *Seen) Missing() []string {
	return slices.DeleteFunc(slices.Clone(s.Keys), func(key string) bool { return !s.Entry(key).IsAbsent() })
}

// Import notes the keys that an import names, or none for all, for the read that follows.
func Import(ctx context.Context, private privateWriter, keys ...string) diag.Diagnostics {
	return setPrivate(ctx, private, privateImport, append([]string{}, keys...))
}

// Found records the values that an import found as the originals.
func (s *Seen) Found(ctx context.Context, private Private) diag.Diagnostics {
	found := kept{first: originals{}, written: digests{}}
	var diags diag.Diagnostics
	found.sealer, diags = getSealer(ctx, private, s.Kind)
	for _, key := range s.Keys {
		found.first[key], found.written[key] = found.sealer.entry(s.Entry(key)), found.sealer.digest(s.Entry(key))
	}
	diags.Append(setKept(ctx, private, found.observe(s.Observation))...)
	diags.Append(private.SetKey(ctx, privateImport, nil)...)
	_, more := instance(ctx, private)
	return append(diags, more...)
}

// Moved records the values of a state that comes from another provider as last written. The originals stay unknown.
func Moved(ctx context.Context, private Private, kind cas.Kind, values map[string]cas.Entry) diag.Diagnostics {
	sealer, diags := getSealer(ctx, private, kind)
	written := digests{}
	for key, value := range values {
		written[key] = sealer.digest(value)
	}
	_, more := instance(ctx, private)
	diags.Append(more...)
	diags.Append(sealer.set(ctx, private)...)
	return append(diags, setPrivate(ctx, private, privateWritten, written)...)
}
