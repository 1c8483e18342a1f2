package histories

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
)

// pick draws one of several, all as often: rapid draws what is small more often, which would be the first ones. It shrinks to the first.
func pick[T any](t *rapid.T, what string, of ...T) T {
	return of[rapid.Custom(func(t *rapid.T) int {
		n := 0
		for range 8 {
			if n *= 2; rapid.Bool().Draw(t, "") {
				n++
			}
		}
		return n * len(of) / 256
	}).Draw(t, what)]
}

// oneIn is true once in n times.
func oneIn(t *rapid.T, what string, n int) bool {
	return pick(t, what, append(make([]bool, n-1), true)...)
}

func upTo(n int) (all []int) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

func drawData(t *rapid.T) map[string]string {
	data := map[string]string{}
	for _, key := range allKeys {
		if oneIn(t, "has "+key, 3) {
			data[key] = pick(t, "value", someValues...)
		}
	}
	return data
}

var (
	allKeys    = []string{"k0", "k1", "k2"}
	someValues = []string{"1", "2", "3"}
)

func (h *history) newRun(m *model, number int) *run {
	t := h.T
	w := &workspace{state: map[string]*tracking{}}
	r := &run{route: h.route(), Workspace: &driver.Workspace{Env: map[string]string{}, Validate: driver.ValidateUse}}
	r.Profile = pick(t, "profile", driver.Terraform111, driver.OpenTofu, driver.Terraform116)
	w.readsFirst, w.plansOrphans = r.Profile.ReadsOrphansFirst, r.Profile.PlansOrphans
	r.Providers = map[string]driver.Start{"cas": r.start(h.lab)}
	own := rapid.Permutation(allKeys).Draw(t, "keys")
	secrets := pick(t, "secrets", 0, 0, 1, 2, 2)
	if secrets < 2 && oneIn(t, "whole", 4) {
		w.blocks = append(w.blocks, &block{kind: "whole", label: "w"})
	}
	for i := range 2 {
		if secrets == 2 { // and nothing else, which would refuse most plans
			break
		}
		kind := pick(t, "kind", "entry", "entry", "data", "data", "counter", "fields", "fields", "document")
		isInDocument := kind == "document"
		isOfFields := kind == "fields" || isInDocument
		if isOfFields {
			kind = "data"
		}
		b := &block{kind: kind, label: fmt.Sprint("s", i), key: own[i]}
		b.values, b.fields, b.document = map[string]string{own[i]: ""}, isOfFields, isInDocument
		if kind == "data" && i == 1 {
			b.values[own[2]] = ""
		}
		if kind == "counter" {
			b.values = nil
		}
		b.owns = slices.Sorted(maps.Keys(b.values))
		w.blocks = append(w.blocks, b)
	}
	for i := range secrets {
		b := &block{kind: pick(t, "kind", "entry", "data"), secret: true, label: fmt.Sprint("x", i), owns: own[i : i+1]}
		if b.kind == "data" && i == 1 {
			b.owns = own[1:]
		}
		if i == 0 && oneIn(t, "whole", 3) {
			b.kind, b.owns = "whole", nil
		}
		w.blocks = append(w.blocks, b)
	}
	m.spaces = append(m.spaces, w)
	for i := range w.blocks {
		h.draw(m, w, i)
	}
	w.used = len(w.blocks)
	h.runs = append(h.runs, r)
	h.write(w, r)
	h.runs = h.runs[:number]
	return r
}

// draw gives a block other arguments. It often draws live values as expectations: random ones would rarely hold.
func (h *history) draw(m *model, w *workspace, i int) {
	t, was := h.T, w.blocks[i]
	b := *was
	state := w.state[was.address()]
	isTainted := state != nil && state.tainted // and can be replaced elsewhere only
	if b.cm == "" || oneIn(t, "moves", 6) || isTainted && oneIn(t, "goes away", 2) {
		b.cm = pick(t, "configmap", "a", "a", "b")
		if b.kind == "whole" {
			b.cm = pick(t, "configmap", "b", "b", "a")
		}
		if b.secret {
			b.cm = pick(t, "secret", "s", "s", "s", "s", "t")
		}
		if b.fields {
			b.cm = pick(t, "object", "d", "w")
		}
		if b.document {
			b.cm = "y"
		}
		if b.secret && b.kind == "whole" {
			b.cm = pick(t, "secret", "t", "t", "t", "s")
		}
	}
	live := map[string]string{}
	if o := m.live[b.cm]; o != nil {
		live = o.data
	}
	value := func(key, what string) string {
		if v := live[key]; v != "" && oneIn(t, what+" is there", 2) {
			return v
		}
		return pick(t, what, someValues...)
	}
	if b.secret && (b.revision == 0 || !oneIn(t, "keeps its version", 3)) {
		b.revision = pick(t, "version", 1, 2, 3)
	}
	switch b.kind {
	case "whole":
		if b.values, b.labels = nil, nil; oneIn(t, "manages data", 2) || b.secret && !oneIn(t, "leaves data", 3) {
			b.values = drawData(t)
		}
		if oneIn(t, "manages labels", 2) {
			b.labels = map[string]string{"l": pick(t, "label", someValues...)}
		}
		b.drift = pick(t, "on_drift", "error", "error", "overwrite")
		b.policy = pick(t, "policy", "release", "release", "release", "delete", "abandon")
		w.blocks[i] = &b
		return
	case "counter":
		b.trigger = pick(t, "trigger", someValues...)
		w.blocks[i] = &b
		return
	}
	b.expected = map[string]string{}
	own := b.owns
	b.values = map[string]string{}
	for n, key := range own {
		if n == 0 || !oneIn(t, "has key", 3) {
			b.values[key] = value(key, "value")
		}
	}
	isNew := func(key string) bool { return live[key] != "" && (state == nil || state.values[key] == "") }
	if isHeld := b.secret && state != nil && live[own[0]] != ""; isHeld && oneIn(t, "expects what is there", 2) {
		for _, key := range own {
			if live[key] != "" {
				b.expected[key] = live[key]
			}
		}
	} else if b.kind == "entry" && (!b.secret && oneIn(t, "expects", 3) || b.secret && oneIn(t, "expects", 8)) {
		b.expected[own[0]] = value(own[0], "expected")
	}
	for _, key := range namesIn(b.values) { // otherwise most writes over existing keys would be refused
		if isNew(key) && !oneIn(t, "is refused", 3) {
			b.expected[key] = live[key]
		}
	}
	if b.kind == "data" {
		for _, key := range allKeys {
			switch pick(t, "expects", "", "", "", "", "", "", "", "", "", "absent", "value", "value") {
			case "absent":
				b.expected[key] = ""
			case "value":
				b.expected[key] = value(key, "expected")
			}
		}
	}
	b.scope = pick(t, "scope", "object", "object", "key")
	b.policy = pick(t, "policy", "release", "release", "delete", "restore", "restore", "abandon")
	if b.secret && b.policy == "restore" {
		b.policy = "delete"
	}
	if b.policy == "restore" && oneIn(t, "overwrites", 2) { // otherwise few removals would put something back
		for _, key := range namesIn(b.values) {
			if isNew(key) {
				b.expected[key] = live[key]
				b.values[key] = pick(t, "another value", slices.DeleteFunc(slices.Clone(someValues), func(v string) bool { return v == live[key] })...)
			}
		}
	}
	b.drift = pick(t, "on_drift", "error", "error", "overwrite")
	b.adopt = oneIn(t, "adopts", 3)
	w.blocks[i] = &b
}

// typeName returns the resource type of a block.
func typeName(b *block) string {
	of, suffix := "cas_configmap", map[string]string{"entry": "_entry", "data": "_data", "counter": "_counter"}
	switch {
	case b.secret:
		of = "cas_secret"
	case b.document:
		return "cas_configmap_document"
	case b.fields:
		return "cas_object_fields"
	}
	return of + suffix[b.kind]
}

func typed(b *block) string { return typeName(b) + "." + b.label }

// valuesName is the attribute that has the values of a block for a Secret.
func valuesName(b *block) string {
	if b.kind == "entry" {
		return "value_wo"
	}
	return "data_wo"
}

// write writes the configuration of a workspace.
func (h *history) write(w *workspace, r *run) {
	var body strings.Builder
	fmt.Fprintf(&body, "provider \"cas\" {\n  config_path = %q\n}\n", r.route.kubeconfig)
	var before []string
	for _, b := range w.blocks[:w.used] {
		fmt.Fprintf(&body, "resource %q %q {\n  namespace = %q\n  name = %q\n  depends_on = [%s]\n", typeName(b), b.label, h.Namespace, h.names[b.cm],
			strings.Join(before, ", "))
		before = append(before, typed(b))
		wo := "" // what names of attributes with values end in
		if b.secret {
			wo = "_wo"
			fmt.Fprintf(&body, "  %s_version = %d\n", valuesName(b), b.revision)
		}
		switch {
		case b.fields:
			body.WriteString(h.fieldsBody(b))
		case b.kind == "entry":
			key := b.onlyKey()
			fmt.Fprintf(&body, "  key = %q\n  value%s = %q\n", key, wo, b.values[key])
			if v := b.expected[key]; v != "" {
				fmt.Fprintf(&body, "  expected_value%s = %q\n", wo, v)
			}
		case b.kind == "counter":
			fmt.Fprintf(&body, "  key = %q\n  triggers = { t = %q }\n", b.key, b.trigger)
		default:
			for name, of := range map[string]map[string]string{"data" + wo: b.values, "labels": b.labels, "expected_data" + wo: b.expected} {
				if of == nil || name == "expected_data"+wo && len(of) == 0 {
					continue
				}
				fmt.Fprintf(&body, "  %s = {\n", name)
				for key, v := range of {
					if literal := fmt.Sprintf("%q", v); v != "" {
						fmt.Fprintf(&body, "    %s = %s\n", key, literal)
					} else {
						fmt.Fprintf(&body, "    %s = null\n", key)
					}
				}
				body.WriteString("  }\n")
			}
		}
		if b.drift != "" {
			fmt.Fprintf(&body, "  on_drift = %q\n", b.drift)
		}
		if b.kind == "whole" {
			fmt.Fprintf(&body, "  deletion_policy = %q\n", b.policy)
		}
		if b.scope != "" {
			scope := b.scope
			if b.fields && scope == "key" {
				scope = "field"
			}
			fmt.Fprintf(&body, "  conflict_scope = %q\n  deletion_policy = %q\n  adopt_existing = %t\n", scope, b.policy, b.adopt)
		}
		body.WriteString("}\n")
	}
	h.Logf("workspace %d is configured:\n%s", slices.Index(h.runs, r), body.String())
	r.Write(body.String())
}
