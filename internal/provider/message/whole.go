package message

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
		return s.terminating(&eval.TerminatingError{
			Since:      e.Live.Metadata().DeletionTimestamp.Time,
			Finalizers: e.Live.Finalizers(),
		})
	}
	facts := append(s.changedBy(e.Live.LastWriters()), Fact{factVersion, e.Live.Version().ResourceVersion})
	return s.refuse(ConfigMapAlreadyExists, path.Root("name"), fmt.Sprintf("The %s already exists.", s.ID.Kind),
		append(facts, s.importFact(nil)...),
		s.orDestroy(taintedOr(fmt.Sprintf("import it, set expected_resource_version_wo = %q to take it over, or choose "+
			"another name; with create_before_destroy, use generate_name.", e.Live.Version().ResourceVersion))))
}

// CreatedTwice is for a ConfigMap that another resource of the plan creates as well.
func (s Subject) CreatedTwice() diag.Diagnostic {
	return s.refuse(ConfigMapCreatedTwice, path.Root("name"), "", nil, s.orDestroy(ConfigMapCreatedTwice.Next))
}

// ObjectMoves is for a ConfigMap that one instance is planned to delete and another one has.
func (s Subject) ObjectMoves() diag.Diagnostic {
	return s.refuse(ConfigMapMovesBetweenInstances, path.Root("name"), "", nil,
		s.orDestroy(ConfigMapMovesBetweenInstances.Next))
}

func (s Subject) noNamespace(missing Missing) diag.Diagnostic {
	if s.Plan != "" {
		return s.warn(NamespaceDoesNotExistYet, path.Root("namespace"), "", missing.facts(),
			missing.near(s)+NamespaceDoesNotExistYet.Next)
	}
	return s.refuse(NamespaceNotFound, path.Root("namespace"), "", missing.facts(),
		missing.near(s)+s.orDestroy(NamespaceNotFound.Next))
}

// Replaces warns of values that a create or an update replaces although the configuration does not expect them: it
// names the version at which they were read. No plan shows them.
func (s Subject) Replaces(values []decide.Drift) diag.Diagnostic {
	var facts []Fact
	for _, v := range values {
		facts = append(append(facts, s.keyFact(v.Key)...), s.forKey(v.Key).compare("Found", v.Found, "Planned", v.ToWrite)...)
	}
	return s.warn(UnmanagedKeysWillChange, path.Empty(), enumerate(namesOf(values))+
		number(len(values), " exists", " exist")+
		", and expected_resource_version_wo permits to replace "+them(values)+".", facts, "")
}
