package message

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// row returns a row of the table with the nouns of the resource.
func (s Subject) row(r *Row) *Row {
	switch {
	case s.Document != "":
		return r.ofFields(s.ID.Kind, s.ID.Kind.String())
	case s.APIVersion != "":
		return r.ofFields(s.ID.Kind, "Object")
	}
	return r.Of(s.ID.Kind)
}

// part is the noun for a part of the object.
func (s Subject) part() string {
	if s.APIVersion != "" {
		return "field"
	}
	return "key"
}

// fail makes an error. For an empty sentence or next step it uses the row.
func (s Subject) fail(r *Row, at path.Path, happened string, facts []Fact, next string) diag.Diagnostic {
	own := s.row(r)
	return diagnostic(diag.SeverityError, s.visible(at), own.Title,
		s.detail(cmp.Or(happened, own.Meaning), facts, cmp.Or(next, own.Next)))
}

// warn makes a warning. For an empty sentence or next step it uses the row.
func (s Subject) warn(r *Row, at path.Path, happened string, facts []Fact, next string) diag.Diagnostic {
	own := s.row(r)
	title := own.Title
	if what := s.whatOf(r, facts); what != "" {
		title += ": " + what
	}
	return diagnostic(diag.SeverityWarning, s.visible(at), title,
		s.detail(cmp.Or(happened, own.Meaning), facts, cmp.Or(next, own.Next)))
}

// refuse makes the error of an operation that changed nothing. It is a warning if plan_check says so.
func (s Subject) refuse(r *Row, at path.Path, happened string, facts []Fact, next string) diag.Diagnostic {
	happened = cmp.Or(happened, s.row(r).Meaning)
	if s.Plan == terms.PlanCheckWarning {
		return s.warn(r, at, happened+" The apply will fail unless this changes.", facts, next)
	}
	return s.fail(r, at, fmt.Sprintf("%s Nothing was %s%s.", happened, s.Op.Past(), s.forThis()), facts, next)
}

// visible is the attribute that a diagnostic points at. It never points at a write-only value: Terraform prints that
// line of the configuration, which may have the value itself.
func (s Subject) visible(at path.Path) path.Path {
	if s.Revision == "" || !strings.HasSuffix(root(at), "_wo") || root(at) == "expected_resource_version_wo" {
		return at
	}
	return path.Root(s.Revision)
}

// Command lines show one warning of each title, and count the others: "(and 3 more similar warnings elsewhere)". So the
// title of a warning ends with what it is about. Those about the same are folded still: 150 keys of an object that does
// not exist yet have one warning. Errors are never folded, and have their titles alone.

// whatOf returns the keys or the object that the title of a warning names. facts name the keys.
func (s Subject) whatOf(r *Row, facts []Fact) string {
	object := s.ID.Kind.String() + " " + short(s.ID.Ref.String())
	switch r {
	case APIServerUnreachable, OperationTimedOut, OperationCanceled:
		return ""
	case KindNotServed:
		return s.ID.Kind.String() + " of " + s.APIVersion
	case NamespaceDoesNotExistYet, NamespaceNotFound:
		return short(s.ID.Namespace)
	case ConfigMapDoesNotExistYet, ConfigMapNotFound, ConfigMapIsImmutable, ConfigMapIsBeingDeleted,
		ConfigMapTooLarge, ConfigMapHasOtherKeys, ConfigMapVersionNotKnown, NotPermitted:
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
		case PartLabel, PartAnnotation, PartAttribute:
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
const mostInTitle = 120

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
