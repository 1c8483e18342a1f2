package diagnose

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// title is an ErrorTitle or a WarningTitle.
type title interface {
	At(where path.Path, detail string) diag.Diagnostic
	with(words func(string) string) title
}

func (t ErrorTitle) with(words func(string) string) title   { return ErrorTitle(words(string(t))) }
func (t WarningTitle) with(words func(string) string) title { return WarningTitle(words(string(t))) }

// Of is the title of a diagnostic about an object of a kind.
func (t ErrorTitle) Of(kind eval.Kind) ErrorTitle { return ErrorTitle(named(kind, string(t))) }

// ofFields is a title about fields of an object, of whatever kind.
var ofFields = strings.NewReplacer("ConfigMap", "Object", "Key", "Field")

// phrases speak of fields where those of keys do of keys.
var phrases = strings.NewReplacer("import the keys", "import the fields",
	"the problem of each key", "the problem of each field", "to what the keys hold", "to what the fields hold", "remove the key from", "remove the field from",
	"leave out the keys that", "leave out the fields that")

// tell makes all diagnostics of a Subject. Titles and sentences are written for a ConfigMap.
func (s Subject) tell(as title, at path.Path, happened string, facts []Fact, next string) diag.Diagnostic {
	kind, what := s.ID.Kind, s.whatOf(as, facts)
	words := func(text string) string { return named(kind, text) }
	happened, next = words(happened), words(next)
	if s.APIVersion != "" {
		words, next = ofFields.Replace, phrases.Replace(next)
	}
	as = as.with(words)
	if _, isWarning := as.(WarningTitle); isWarning && what != "" {
		as = as.with(func(title string) string { return title + ": " + what })
	}
	return as.At(s.visible(at), s.detail(happened, facts, next))
}

// ofConfigMaps are the words that stand for the kind. A kind, or a key, may have a name in which they are a part.
var ofConfigMaps = regexp.MustCompile(`\b(ConfigMap|configmaps)\b`)

// named makes a text that speaks of ConfigMaps speak of another kind.
func named(kind eval.Kind, text string) string {
	if kind == eval.ConfigMap {
		return text
	}
	return ofConfigMaps.ReplaceAllStringFunc(text, func(word string) string {
		if word == eval.ConfigMap.String() {
			return kind.String()
		}
		return cmp.Or(kind.Resource(), "objects of this kind")
	})
}

// visible is the attribute that a diagnostic points at. It never points at a write-only value: Terraform prints that line of the
// configuration, which may have the value itself.
func (s Subject) visible(at path.Path) path.Path {
	if s.Revision == "" || !strings.HasSuffix(root(at), "_wo") || root(at) == "expected_resource_version_wo" {
		return at
	}
	return path.Root(s.Revision)
}

// Command lines show one warning of each title, and count the others: "(and 3 more similar warnings elsewhere)". So the title of a warning ends with what it is
// about. Those about the same are folded still: 150 keys of an object that does not exist yet have one warning. Errors are never folded, and have their titles alone.

// whatOf is what a warning of a title is about: a key, several, an object, or what objects have in common. facts name the keys.
func (s Subject) whatOf(as title, facts []Fact) string {
	object := s.ID.Kind.String() + " " + short(s.ID.Ref.String())
	switch as {
	case WarningTitle(TitleAPIServerUnreachable), WarningTitle(TitleOperationTimedOut), WarningTitle(TitleOperationCanceled):
		return ""
	case WarningKindNotServed:
		return s.ID.Kind.String() + " of " + s.APIVersion
	case WarningNamespaceDoesNotExistYet, WarningTitle(TitleNamespaceNotFound):
		return short(s.ID.Namespace)
	case WarningConfigMapDoesNotExistYet, WarningTitle(TitleConfigMapNotFound), WarningTitle(TitleConfigMapIsImmutable), WarningTitle(TitleConfigMapIsBeingDeleted),
		WarningConfigMapTooLarge, WarningConfigMapHasOtherKeys, WarningTitle(TitleConfigMapVersionNotKnown), WarningTitle(TitleNotPermitted):
		return object
	}
	var names []string
	if s.ID.Key != "" {
		names = append(names, short(s.ID.Key))
	}
	value := ""
	for _, f := range facts {
		name := f.Value
		switch f.Name {
		case PartKey, partField:
		case PartLabel, PartAnnotation:
			name = strings.ToLower(f.Name) + " " + name
		case partValue, partWanted:
			value = short(name) + " of "
			continue
		default:
			continue
		}
		names = append(names, short(name))
	}
	what := enumerate(names)
	if len(names) > 3 || len(names) > 1 && len(what) > mostInTitle {
		what = fmt.Sprintf("%s and %d more", names[0], len(names)-1)
	}
	switch {
	case s.ID.Name == "":
		return "Namespace " + short(s.ID.Namespace)
	case len(names) == 0:
		return object
	default:
		return value + what + " in " + object
	}
}

// mostInTitle is how many characters of a name a title has.
const mostInTitle = 64

// short cuts a long name in the middle. Digits tell two names apart that are the same at both ends.
func short(name string) string {
	name = printable(name)
	all := []rune(name)
	if len(all) <= mostInTitle {
		return name
	}
	const end = mostInTitle/2 - 3
	digest := sha256.Sum256([]byte(name))
	return fmt.Sprintf("%s…%x…%s", string(all[:end]), digest[:2], string(all[len(all)-end:]))
}
