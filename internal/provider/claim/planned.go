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
	writer               string // of the first instance that writes it; empty if it cannot be told apart
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
func (p *plannedKeys) writes(ref cas.Ref, keys []string, writer string) (moving, twice []string) {
	p.update(ref, keys, func(key string, k *plannedKey) {
		if k.isRemoved {
			moving = append(moving, key)
		}
		if k.isWritten && k.writer != "" && writer != "" && k.writer != writer {
			twice = append(twice, key)
		}
		if !k.isWritten {
			k.isWritten, k.writer = true, writer
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
func (r *Run) planKeys(ctx context.Context, ref cas.Ref, writes, removes []string, writer string, about diagnose.Subject) diag.Diagnostics {
	if r.isApply(ctx) {
		return nil
	}
	moving := r.keys.removes(ref, removes)
	more, twice := r.keys.writes(ref, writes, writer)
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

// instance gives the token that tells a resource instance from others, and makes it where there is none yet.
func instance(ctx context.Context, private Private) (string, diag.Diagnostics) {
	token, ok, diags := getPrivate[string](ctx, private, privateInstance)
	if ok || diags.HasError() {
		return token, diags
	}
	token = rand.Text()
	diags.Append(setPrivate(ctx, private, privateInstance, token)...)
	return token, diags
}

// plannedCreations records the ConfigMaps that a plan creates, with the instance that does. Keys in them cannot be checked yet, and need no
// warning. The zero value is ready.
type plannedCreations struct {
	mu       sync.Mutex
	creators map[cas.Ref]string
}

// note records a creation, and reports whether another instance creates the same ConfigMap.
func (p *plannedCreations) note(ref cas.Ref, creator string) (twice bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.creators == nil {
		p.creators = map[cas.Ref]string{}
	}
	if first, ok := p.creators[ref]; ok {
		return first != creator
	}
	p.creators[ref] = creator
	return false
}

func (p *plannedCreations) has(ref cas.Ref) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.creators[ref]
	return ok
}
