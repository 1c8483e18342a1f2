package message

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Requests that had no answer, or were refused.

// unreachable reports a cause once: all operations of the run fail with the same cause.
func (s Subject) unreachable(e *eval.UnreachableError) diag.Diagnostic {
	facts := []Fact{{"Host", e.Host}}
	if !e.Reported.IsFirst(innermost(e.Err).Error()) {
		return s.refuse(APIServerUnreachable, path.Empty(), "", facts, "Another message of this run tells the cause.")
	}
	return s.refuse(APIServerUnreachable, path.Empty(), "", append(facts, Fact{"Cause", s.words(e.Err)}), "")
}

func (s Subject) forbidden(e *eval.ForbiddenError) diag.Diagnostic {
	next := fmt.Sprintf("Grant %s on %s.", cmp.Or(s.Ways.Grant, "get and patch"), s.granted())
	if e.Verb == "discover" {
		return s.refuse(NotPermitted, path.Root("api_version"), "You do not have permission to ask which kinds "+s.APIVersion+
			" has.",
			[]Fact{{"API server", s.words(e.Err)}},
			"Bind the role system:discovery, which all users have unless somebody took it away.")
	}
	return s.refuse(NotPermitted, path.Empty(),
		fmt.Sprintf("You do not have permission to %s %s.", e.Verb, s.object("this")),
		append(s.dryRun(e.Verb), Fact{"API server", s.words(e.Err)}), next)
}

// object is the ConfigMap that a request was about, or all of a namespace.
func (s Subject) object(article string) string {
	if s.ID.Name == "" {
		return s.ID.Kind.String() + "s"
	}
	return article + " " + s.ID.Kind.String()
}

// refused is for a request that was answered with another error.
func (s Subject) refused(e *eval.RefusedError) diag.Diagnostic {
	command := "plan"
	if s.Op == terms.OpList {
		command = "query"
	}
	correct := "Correct what the API server names"
	if s.Hide != ShowValues { // the message does not show what it names
		correct = "Correct the value"
	}
	next := correct + ", then run terraform " + command + " again."
	switch {
	case e.Code == http.StatusUnauthorized:
		next = "Renew your credentials, then run terraform " + command + " again."
	case e.InTerminatingNamespace:
		next = fmt.Sprintf("The namespace %s is being deleted. Wait until it is missing and create it again, or use "+
			"another namespace.", s.ID.Namespace)
	}
	facts := s.dryRun(e.Verb)
	if facts != nil { // a destroy sends another request
		next = s.orDestroy(next)
	}
	switch texts := s.numbersAsText(e); {
	case s.Op != terms.OpDelete && texts != "":
		next = texts
	case s.Op == terms.OpDelete && e.Code == http.StatusUnprocessableEntity && !s.isWhole():
		// A whole ConfigMap is deleted with its content.
		if s.APIVersion != "" {
			next += fmt.Sprintf(" If it refuses the rest of a map that this resource created, set the topmost new map as a "+
				"whole, with expected_fields and deletion_policy = %q, then destroy.", terms.PolicyDelete)
		}
		next += " " + s.abandon()
	case e.Code == http.StatusUnprocessableEntity && len(s.letsGo) > 0: // which deletion_policy = "restore" may put back
		next += " " + s.leave(s.letsGo...)
	}
	return s.refuse(RequestRefused, path.Empty(), fmt.Sprintf("The API server refused to %s %s.", e.Verb, s.object("the")),
		append(facts, Fact{"Status", fmt.Sprint(e.Code)}, Fact{"API server", s.words(e.Err)}), next)
}

func isWrite(verb string) bool { return verb != "get" && verb != "watch" && verb != "list" }

// dryRun returns the fact that explains why a plan sent a write.
func (s Subject) dryRun(verb string) []Fact {
	if !s.Rehearsed || !isWrite(verb) {
		return nil
	}
	return []Fact{{"Request", "a dry run of the write, because plan_dry_run (" + terms.EnvPlanDryRun + ") is true"}}
}

func (s Subject) canceled(e *eval.CanceledError) diag.Diagnostic {
	facts := []Fact{{"Host", e.Host}}
	if e.Plugin != "" {
		facts = append(facts, Fact{"Command", e.Plugin})
	}
	if errors.Is(e.Err, context.DeadlineExceeded) {
		happened, next := "The API server did not answer in time.",
			fmt.Sprintf("Run terraform again, or raise timeouts.%s.", s.limit())
		switch {
		case e.Retried:
			happened = fmt.Sprintf("The write was not applied in time: other writers changed the %s before each attempt, or "+
				"the API server was too busy.",
				s.ID.Kind)
		case e.Plugin != "":
			happened = "The exec plugin that gives the credentials did not answer in time."
			next = "Run the command in a shell to see what it waits for, such as a login. " + next
		}
		return s.refuse(OperationTimedOut, path.Empty(), happened, facts, next)
	}
	return s.refuse(OperationCanceled, path.Empty(), "", facts, "")
}

// limit is the operation whose timeout applies: for a plan's check, reading; an action has one timeout for all.
func (s Subject) limit() terms.Operation {
	if s.Plan != "" && s.Op != terms.OpInvoke {
		return terms.OpRead
	}
	return s.Op
}

func (s Subject) unknown(e *eval.UnknownError) diag.Diagnostic {
	next := WriteOutcomeUnknown.Next
	facts, keys := []Fact{{"Cause", s.words(briefly(e.Err))}}, s.ownKeys()
	if e.Base.ResourceVersion != "" {
		facts = append(facts, Fact{factVersion, e.Base.ResourceVersion + " before the write"})
	}
	switch {
	case s.Ways.Unknown != "":
		next = s.Ways.Unknown
	case s.Op == terms.OpInvoke:
		next = fmt.Sprintf("See what the %s holds before you invoke the action again.", s.ID.Kind)
	case s.Op == terms.OpDelete:
		next = "Run terraform plan, or terraform plan -destroy, again: it shows what is left to remove."
	case s.Op == terms.OpCreate && s.isWhole():
		next = fmt.Sprintf("Run terraform plan again. If it says that the %s already exists, import it.", s.ID.Kind)
		facts = append(facts, s.importFact(nil)...)
	case s.Op == terms.OpCreate:
		next = fmt.Sprintf("Run terraform plan again. If it says that %[1]s already %[2]s, import %[3]s, or set "+
			"adopt_existing = true.",
			enumerate(keys), number(len(keys), "holds the value", "hold the values"), number(len(keys), "it", "them"))
		facts = append(facts, s.importFact(keys)...)
	}
	return s.fail(WriteOutcomeUnknown, path.Empty(), "", facts, next)
}

// briefly shortens an error of several requests: of each, the verb and the host.
func briefly(err error) error {
	several, ok := err.(interface{ Unwrap() []error })
	if !ok {
		if request, isOne := errors.AsType[*url.Error](err); isOne {
			host := request.URL
			if u, err := url.Parse(request.URL); err == nil {
				host = u.Scheme + "://" + u.Host
			}
			return fmt.Errorf("%s %s: %w", strings.ToUpper(request.Op), host, request.Err)
		}
		return err
	}
	all, told := []error(nil), map[string]bool{}
	for _, err := range several.Unwrap() {
		if err = briefly(err); !told[err.Error()] {
			all = append(all, err)
		}
		told[err.Error()] = true
	}
	return errors.Join(all...)
}

// innermost returns the innermost error of a request: it names neither the object nor the connection.
func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

// words returns the text of an error of others, for example of the API server, which may quote values. Package cas
// itself withholds messages about Secrets.
func (s Subject) words(err error) string {
	if s.Hide == ShowDigests {
		err = wire.Withheld(err)
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}
