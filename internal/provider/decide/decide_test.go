package decide

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8stypes "k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

var settings = eval.Ref{Namespace: "shop", Name: "settings"}

// stateOf returns the claim of a state with one key, foo, which contains "1".
func stateOf(change func(*Claim)) *Claim {
	c := &Claim{
		ID: "shop/settings/foo", Ref: settings, Values: texts("foo", "1"), Scope: terms.ScopeKey, FieldManager: "me",
		OnDrift: terms.DriftError, Policy: terms.PolicyRelease, Version: eval.Version{UID: "u", ResourceVersion: "7"},
		Known: Known{Place: true, Keys: true, Values: true, Change: true, All: true},
	}
	if change != nil {
		change(c)
	}
	return c
}

// asSecret makes a claim one of a state of a Secret, which has no values.
func asSecret(c *Claim) {
	c.Ref.Kind, c.Revision = eval.Secret, "1"
	c.Values = map[string]eval.Value{"foo": eval.Anything()}
}

// texts returns a map of keys and texts, given in turn.
func texts(all ...string) map[string]eval.Value {
	values := map[string]eval.Value{}
	for i := 0; i < len(all); i += 2 {
		values[all[i]] = eval.Text(all[i+1])
	}
	return values
}

// memoryOf returns a memory with these values as the baseline.
func memoryOf(written, originals map[string]eval.Value) Memory {
	m := Rebased(Memory{}, &Claim{Values: written})
	m.Originals = originals
	return m
}

// reads returns a read of a ConfigMap.
func reads(uid string, data map[string]string) *eval.Snapshot {
	meta := metav1.ObjectMeta{Namespace: "shop", Name: "settings", UID: k8stypes.UID(uid), ResourceVersion: "7"}
	return eval.NewSnapshot(&corev1.ConfigMap{ObjectMeta: meta, Data: data}, time.Time{})
}

// secretWith returns a read of a Secret.
func secretWith(data map[string]string) *eval.Snapshot {
	meta := metav1.ObjectMeta{Namespace: "shop", Name: "settings", UID: "u", ResourceVersion: "7"}
	secret := &corev1.Secret{ObjectMeta: meta, Data: map[string][]byte{}}
	for key, value := range data {
		secret.Data[key] = []byte(value)
	}
	return eval.NewSnapshot(secret, time.Time{})
}

// show returns a transaction and findings as a text.
func show(t *eval.Txn, findings []Finding) string {
	var lines []string
	if t != nil {
		for _, v := range t.RequireVersions {
			lines = append(lines, "at "+v.UID+"/"+v.ResourceVersion)
		}
		for _, k := range t.Keys {
			line := k.Key + ": " + showValue(k.Expect)
			if !k.IsGuard {
				ifEqual := map[eval.IfEqual]string{eval.Adopt: " or adopt", eval.Reject: " or reject"}[k.IfEqual]
				line += " -> " + showValue(k.New) + ifEqual
			}
			lines = append(lines, line)
		}
	}
	for _, finding := range findings {
		lines = append(lines, strings.Join(append([]string{string(finding.Kind)}, finding.Keys...), " "))
	}
	return strings.Join(lines, "; ")
}

func showValue(e eval.Value) string {
	switch {
	case e.IsAbsent():
		return "absent"
	case e.IsAnything():
		return "anything"
	default:
		return e.Raw()
	}
}

func showRemovals(removals Removals) (lines []string) {
	for _, r := range removals {
		lines = append(lines, string(r.Action)+" "+r.Key)
	}
	return lines
}

func showDrift(name string, drift []Drift) (lines []string) {
	for _, d := range drift {
		line := fmt.Sprintf("%s %s: %s -> %s", name, d.Key, showValue(d.Found), showValue(d.ToWrite))
		if d.Written != nil {
			line += " (written " + showValue(*d.Written) + ")"
		}
		lines = append(lines, line)
	}
	return lines
}

func showNote(note *RemovalNote) (lines []string) {
	for _, each := range []struct {
		name string
		keys []string
	}{{"notes", note.Keys}, {"keeps", note.Keeps}} {
		if len(each.keys) > 0 {
			lines = append(lines, each.name+" "+strings.Join(each.keys, ","))
		}
	}
	return lines
}
