package diagnose

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// Command lines show one warning of each title, and count the others: "(and 3 more similar warnings elsewhere)". So the title of a warning ends with what it is
// about. Those about the same are folded still: 150 keys of an object that does not exist yet have one warning. Errors are never folded, and have their titles alone.

// about is the title of a warning about something.
func (t WarningTitle) about(what string) title {
	if what == "" {
		return t
	}
	return WarningTitle(string(t) + ": " + what)
}

func (t ErrorTitle) about(string) title { return t }

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
		WarningConfigMapTooLarge, WarningTitle(TitleConfigMapVersionNotKnown), WarningTitle(TitleNotPermitted):
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
