package claim

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// plannedKeys records which keys the instances of one plan write and remove. Terraform may run instances in any order, so two of them must
// not write the same key, nor one write what another removes. The zero value is ready.
type plannedKeys struct {
	mu   sync.Mutex
	keys map[terms.EntryID]plannedKey
}

type plannedKey struct {
	isRemoved, isWritten bool
	claimant             // the first instance that writes it
}

// claimant is an instance that is planned to write or to create something.
type claimant struct {
	token
	reads int // of instances, before that plan
}

// isAnothers reports whether the token is that of another instance. The creation of a tainted resource gets a new token each time it is
// planned: with -minimal-refresh before a read, and again after it.
func (c claimant) isAnothers(t token, reads *refreshed) bool {
	isAgain := c.isNew && t.isNew && reads.unplanned(c.reads)
	return c.text != "" && t.text != "" && c.text != t.text && !isAgain
}

// removes records keys that an instance removes, and gives those that another one writes.
func (p *plannedKeys) removes(ref cas.Ref, keys []string) (moving []string) {
	p.update(ref, keys, func(key string, k *plannedKey) {
		if k.isRemoved = true; k.isWritten {
			moving = append(moving, key)
		}
	})
	return moving
}

// writes records keys that an instance writes, and gives those that another one removes, and those that another one writes.
func (p *plannedKeys) writes(ref cas.Ref, keys []string, writer token, reads *refreshed) (moving, twice []string) {
	p.update(ref, keys, func(key string, k *plannedKey) {
		if k.isRemoved {
			moving = append(moving, key)
		}
		if k.isWritten && k.isAnothers(writer, reads) {
			twice = append(twice, key)
		}
		if !k.isWritten {
			k.isWritten, k.claimant = true, claimant{writer, reads.count()}
		}
	})
	return moving, twice
}

func (p *plannedKeys) update(ref cas.Ref, keys []string, change func(key string, k *plannedKey)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.keys == nil {
		p.keys = map[terms.EntryID]plannedKey{}
	}
	for _, key := range slices.Sorted(slices.Values(keys)) {
		id := terms.EntryID{Ref: ref, Key: key}
		k := p.keys[id]
		change(key, &k)
		p.keys[id] = k
	}
}

// planKeys records the keys that an instance is planned to write and to remove, and refuses those that another instance of the plan
// writes or removes.
func (r *Run) planKeys(ctx context.Context, ref cas.Ref, writes, removes []string, writer token, about diagnose.Subject) diag.Diagnostics {
	if r.isApply(ctx) {
		return nil
	}
	moving := r.keys.removes(ref, removes)
	more, twice := r.keys.writes(ref, writes, writer, &r.refreshed)
	moving = append(moving, more...)
	switch {
	case r.PlanCheck == terms.PlanCheckOff:
		return nil
	case len(moving) > 0:
		return diag.Diagnostics{r.planned(ctx, about).KeyMoves(moving)}
	case len(twice) > 0:
		return diag.Diagnostics{r.planned(ctx, about).KeyWrittenTwice(twice)}
	}
	return nil
}

// tokenLength is short, 40 bits: tokens are compared only where one run has several instances of one key or ConfigMap.
const tokenLength = 8

// token tells a resource instance from others. An empty text tells nothing.
type token struct {
	text  string
	isNew bool
}

// instance gives the token of a resource instance, and makes it where there is none yet.
func instance(ctx context.Context, private Private) (token, diag.Diagnostics) {
	t, diags := ownToken(ctx, private)
	if t.text != "" || diags.HasError() {
		return t, diags
	}
	t = token{rand.Text()[:tokenLength], true}
	diags.Append(setPrivate(ctx, private, privateInstance, t.text)...)
	return t, diags
}

// ownToken gives the token of a resource instance that has one.
func ownToken(ctx context.Context, private privateReader) (token, diag.Diagnostics) {
	text, _, diags := getPrivate[string](ctx, private, privateInstance)
	return token{text: text}, diags
}

// plannedCreations records the ConfigMaps that a plan creates, with the instance that does. Keys in them cannot be checked yet, and need no
// warning. The zero value is ready.
type plannedCreations struct {
	mu       sync.Mutex
	creators map[cas.Ref]claimant
}

// note records a creation, and reports whether another instance creates the same ConfigMap.
func (p *plannedCreations) note(ref cas.Ref, creator token, reads *refreshed) (twice bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.creators == nil {
		p.creators = map[cas.Ref]claimant{}
	}
	if first, ok := p.creators[ref]; ok {
		return first.isAnothers(creator, reads)
	}
	p.creators[ref] = claimant{creator, reads.count()}
	return false
}

func (p *plannedCreations) has(ref cas.Ref) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.creators[ref]
	return ok
}
