package message

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
)

// Commands that change what Terraform does not manage any more.

// The facts that have the commands.
const (
	factRemove  = "To remove"
	factPutBack = "To put back"
)

// longestPatch is the length of the longest patch that a message shows.
const longestPatch = 500

// commands returns facts with the commands that remove keys which stay in place, and that put back what they held
// first.
func (s Subject) commands(kept decide.Removals) (facts []Fact) {
	remove, putBack := map[string]any{}, map[string]any{}
	isPlain, isBack := true, s.Hide == ShowValues
	for _, k := range kept {
		if !k.Live.IsAbsent() {
			isPlain = s.patch(remove, k.Key, k.Live, eval.Value{}) && isPlain
		}
		switch {
		case k.First == nil:
			isBack = false
		case *k.First != k.Live:
			isBack = s.patch(putBack, k.Key, k.Live, *k.First) && isBack
		}
	}
	command := func(name string, patch map[string]any) {
		raw, err := json.Marshal(patch)
		text := strings.ReplaceAll(string(raw), "'", `\u0027`)
		if err == nil && len(patch) > 0 && len(text) <= longestPatch {
			facts = append(facts, Fact{name, fmt.Sprintf("kubectl patch %s --type merge --patch '%s'", s.inKubectl(), text)})
		}
	}
	if isPlain {
		command(factRemove, remove)
	}
	if len(facts) == 0 && len(remove) > 0 || !isPlain {
		return []Fact{{factRemove, "kubectl edit " + s.inKubectl()}}
	}
	if isBack && encoded(putBack) != encoded(remove) {
		command(factPutBack, putBack)
	}
	return facts
}

// inKubectl names the object for kubectl.
func (s Subject) inKubectl() string {
	resource := strings.ToLower(s.ID.Kind.String())
	if group, version, isNamed := strings.Cut(s.APIVersion, "/"); isNamed {
		resource = s.ID.Kind.String() + "." + version + "." + group
	}
	if s.ID.Namespace == "" {
		return resource + " " + s.ID.Name
	}
	return resource + " " + s.ID.Name + " --namespace " + s.ID.Namespace
}

// patch adds to a merge patch that a key holds an entry. It returns false if no merge patch names the key, because its
// path selects an element of a list, or is in a document.
func (s Subject) patch(patch map[string]any, key string, live, to eval.Value) bool {
	if !eval.IsEntry(key) {
		names, isPlain := eval.FieldNames(key)
		_, _, isDocument := eval.DocumentPath(key)
		if isPlain = isPlain && !isDocument; isPlain {
			setAt(patch, names, merging(Decoded(live), Decoded(to)))
		}
		return isPlain
	}
	if _, isBinary := live.Binary(); isBinary && s.ID.Kind == eval.ConfigMap {
		setAt(patch, []string{"binaryData", key}, nil)
	} else if !live.IsAbsent() {
		setAt(patch, []string{"data", key}, nil)
	}
	if text, isText := to.Text(); isText {
		setAt(patch, []string{"data", key}, text)
	} else if raw, isBinary := to.Binary(); isBinary {
		setAt(patch, []string{"binaryData", key}, base64.StdEncoding.EncodeToString(raw))
	}
	return true
}

// merging returns the merge patch that makes a value of another one.
func merging(from, to any) any {
	was, isObject := from.(map[string]any)
	want, becomesObject := to.(map[string]any)
	if !isObject || !becomesObject {
		return to
	}
	patch := map[string]any{}
	for name := range was {
		patch[name] = nil
	}
	for name, value := range want {
		if patch[name] = merging(was[name], value); encoded(was[name]) == encoded(value) {
			delete(patch, name)
		}
	}
	return patch
}

// setAt sets a value at a path of names.
func setAt(object map[string]any, names []string, value any) {
	for _, name := range names[:len(names)-1] {
		inner, isMap := object[name].(map[string]any)
		if !isMap {
			inner = map[string]any{}
			object[name] = inner
		}
		object = inner
	}
	object[names[len(names)-1]] = value
}
