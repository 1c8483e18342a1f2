package message

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// OtherKeysError reports keys of a whole object whose values the resource did not write. They keep
// deletion_policy = "release" from deleting the object.
type OtherKeysError struct {
	decide.Others

	Live *eval.Snapshot
}

func (e *OtherKeysError) Error() string {
	return fmt.Sprintf("deletion_policy = %q does not delete %s", terms.PolicyRelease, strings.Join(e.Keys, ", "))
}

// KeysOfOthers is for a plan to delete a whole object. Keys of another field manager are an error. Other keys are a
// warning: resources of the same run may remove them first. With deletion_policy = "delete", all keys are a warning. e
// is nil if there are none.
func (s Subject) KeysOfOthers(e *OtherKeysError) (diags diag.Diagnostics) {
	if e == nil {
		return nil
	}
	if e.IsDeleted {
		deletes := fmt.Sprintf(" The apply deletes them with the %s, because deletion_policy is \"delete\".", s.ID.Kind)
		return diag.Diagnostics{s.warn(ConfigMapHasOtherKeys, path.Empty(), s.contains(e)+deletes, s.keysOfOthers(e),
			fmt.Sprintf("To keep them, apply deletion_policy = \"abandon\" instead: it leaves the %s in place.", s.ID.Kind))}
	}
	refused, warned := *e, *e
	refused.Keys, warned.Keys = nil, nil
	for _, key := range e.Keys {
		if s.isOfAnother(e.Live.Owners(key)) {
			refused.Keys = append(refused.Keys, key)
		} else {
			warned.Keys = append(warned.Keys, key)
		}
	}
	if len(refused.Keys) > 0 {
		diags.Append(s.otherKeys(&refused))
	}
	if len(warned.Keys) > 0 {
		diags.Append(s.warn(ConfigMapHasOtherKeys, path.Empty(), s.contains(&warned)+fmt.Sprintf(
			" The apply deletes the %s only if other resources remove them first.", s.ID.Kind), s.keysOfOthers(&warned),
			"If this configuration owns the keys, let their resources depend on this resource, so that they are "+
				"destroyed first. "+keysThatStay))
	}
	return diags
}

// keysThatStay says which keys no destroy removes.
const keysThatStay = "Counters and pools leave their keys."

// isOfAnother reports whether a manager other than the resource's own one owns a key.
func (s Subject) isOfAnother(owners []eval.Writer) bool {
	for _, w := range owners {
		if w.Manager != s.Manager {
			return true
		}
	}
	return false
}

// otherKeys is for keys that keep a whole object from being deleted.
func (s Subject) otherKeys(e *OtherKeysError) diag.Diagnostic {
	return s.refuse(ConfigMapHasOtherKeys, path.Empty(),
		s.contains(e)+fmt.Sprintf(" deletion_policy = %q does not delete them.", terms.PolicyRelease),
		s.keysOfOthers(e), s.toDelete(e))
}

func (s Subject) contains(e *OtherKeysError) string {
	which := "keys with values that this resource did not write"
	if e.NotKnown {
		which = "keys that this resource may not have written"
	}
	return fmt.Sprintf("The %s contains %s.", s.ID.Kind, which)
}

// toDelete says how to delete the object with its keys, or to leave it.
func (s Subject) toDelete(e *OtherKeysError) string {
	set := fmt.Sprintf("deletion_policy = %q", terms.PolicyDelete)
	leave := fmt.Sprintf("first apply deletion_policy = %q", terms.PolicyAbandon)
	if e.IsDrift { // an update would have to overwrite or to accept the values
		set += fmt.Sprintf(" and on_drift = %q", terms.DriftOverwrite)
		leave = "run terraform state rm with the address of this resource"
	}
	next := fmt.Sprintf("To delete the %[1]s with these keys, first apply %[2]s alone. To leave the %[1]s in "+
		"place, %[3]s.", s.ID.Kind, set, leave)
	switch {
	case !s.isGone():
		return "Let the owners remove their keys first: destroy or change their configuration. " + next
	case e.NotKnown:
		return "If this resource is tainted, run terraform untaint with its address. " + next
	default:
		return "If this configuration owns the keys, let their resources depend on this resource, and destroy again. Let " +
			"other owners remove their keys first. " + keysThatStay + " " + next
	}
}

// keysOfOthers lists the keys, each with its owners if they are known.
func (s Subject) keysOfOthers(e *OtherKeysError) (facts []Fact) {
	for i, key := range e.Keys {
		if i == mostNames {
			return append(facts, Fact{"More keys", fmt.Sprint(len(e.Keys) - mostNames)})
		}
		var managers []string
		for _, w := range e.Live.Owners(key) {
			managers = append(managers, fmt.Sprintf("%q", w.Manager))
		}
		if managers != nil {
			key += " (field manager " + strings.Join(managers, ", ") + ")"
		}
		facts = append(facts, Fact{PartKey, key})
	}
	return facts
}

// Applied warns that a write begins to own keys that other managers apply.
func (s Subject) Applied(keys map[string]eval.Applier) diag.Diagnostic {
	var facts []Fact
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		facts = append(append(facts, s.keyFact(key)...), Fact{"Applied by", keys[key].Manager})
	}
	return s.warn(KeyAppliedByAnother, path.Empty(), "", facts, "")
}

// ReplacesAbandoned is for a whole object that deletion_policy leaves in place and that the new resource would create.
func (s Subject) ReplacesAbandoned() diag.Diagnostic {
	return s.refuse(ReplacementWouldFail, path.Empty(),
		fmt.Sprintf("deletion_policy leaves the %s in place, so the new resource would find its name taken.", s.ID.Kind), nil,
		fmt.Sprintf("Change the name as well, or first apply deletion_policy = %q alone.", terms.PolicyRelease))
}
