package diagnose

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
)

const (
	// Names of the parts of a ConfigMap in diagnostics.
	PartKey        = "Key"
	PartLabel      = "Label"
	PartAnnotation = "Annotation"
	PartAttribute  = "Attribute"
	// Names of a field of an object, and of a value of a pool, in diagnostics.
	partField  = "Field"
	partValue  = "Value"
	partWanted = "Wanted"
	// mostDifferences is of how many keys that differ a diagnostic shows what they hold.
	mostDifferences = 10
)

func (s Subject) exists(e *eval.ExistsError) diag.Diagnostic {
	if e.Live.Terminating() {
		return s.terminating(&eval.TerminatingError{Since: e.Live.Metadata().DeletionTimestamp.Time, Finalizers: e.Live.Finalizers()})
	}
	facts := append(s.changedBy(e.Live.LastWriters()), Fact{factVersion, e.Live.Version().ResourceVersion})
	return s.refuse(TitleConfigMapAlreadyExists, path.Root("name"), fmt.Sprintf("The %s already exists.", s.ID.Kind), append(facts, s.importFact(nil)...),
		s.orDestroy(taintedOr(fmt.Sprintf("import it, set expected_resource_version_wo = %q to take it over, or choose another "+
			"name; with create_before_destroy, use generate_name.", e.Live.Version().ResourceVersion))))
}

// CreatedTwice is for a ConfigMap that another resource of the plan creates as well.
func (s Subject) CreatedTwice() diag.Diagnostic {
	return s.refuse(TitleConfigMapCreatedTwice, path.Root("name"), "", nil, s.orDestroy(TitleConfigMapCreatedTwice.Next))
}

// ObjectMoves is for a ConfigMap that one instance is planned to delete and another one has.
func (s Subject) ObjectMoves() diag.Diagnostic {
	return s.refuse(TitleConfigMapMovesBetweenInstances, path.Root("name"), "", nil, s.orDestroy(TitleConfigMapMovesBetweenInstances.Next))
}

func (s Subject) noNamespace(missing Missing) diag.Diagnostic {
	if s.Plan != "" {
		return s.warn(TitleNamespaceDoesNotExistYet, path.Root("namespace"), "", missing.facts(),
			missing.near(s)+TitleNamespaceDoesNotExistYet.Next)
	}
	return s.refuse(TitleNamespaceNotFound, path.Root("namespace"), "", missing.facts(), missing.near(s)+s.orDestroy(TitleNamespaceNotFound.Next))
}

// Replaces warns of values that a create or an update replaces although the configuration does not expect them: it names
// the version at which they were read. No plan shows them.
func (s Subject) Replaces(values []decide.Drift) diag.Diagnostic {
	var facts []Fact
	for _, v := range values {
		facts = append(append(facts, s.keyFact(v.Key)...), s.forKey(v.Key).compare("Found", v.Found, "Planned", v.ToWrite)...)
	}
	return s.warn(TitleUnmanagedKeysWillChange, path.Empty(), enumerate(namesOf(values))+number(len(values), " exists", " exist")+
		", and expected_resource_version_wo permits to replace "+them(values)+".", facts, "")
}
