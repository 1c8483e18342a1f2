package message_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// web is the Deployment that messages about fields are about.
var web = eval.Ref{Kind: eval.KindOf("apps", "Deployment"), Namespace: "shop", Name: "web"}

// aboutWeb is a resource of spec.replicas, whose value is text.
func aboutWeb(op terms.Operation, more ...func(*message.Subject)) message.Subject {
	s := message.Subject{
		ID: terms.EntryID{Ref: web}, APIVersion: "apps/v1", Noun: "fields", Op: op, Value: path.Root("fields"),
		Keys: map[string]message.KeyPaths{replicasKey(): {
			Value: path.Root("fields").AtMapKey("spec.replicas"), Expected: path.Root("expected_fields").AtMapKey("spec.replicas"),
		}},
		Texts: map[string]string{replicasKey(): "5"},
	}
	for _, change := range more {
		change(&s)
	}
	return s
}

func replicasKey() string { return webKey("spec.replicas") }

func webKey(at string) string {
	key, err := eval.FieldKey(web.Kind, at)
	if err != nil {
		panic(err)
	}
	return key
}

// stays is the warning about a field that stays, in the plan of a destroy.
func stays(at, live, first string) diag.Diagnostic {
	entries := make([]eval.Value, 2)
	for i, text := range []string{live, first} {
		e, err := eval.JSON([]byte(text))
		if err != nil {
			panic(err)
		}
		entries[i] = e
	}
	return aboutWeb(terms.OpDelete, planning).Stays(decide.KeepExisting,
		decide.Removals{{Key: webKey(at), Live: entries[0], First: &entries[1]}}, nil)
}

func fieldsDiagnosticTests() map[string]diagnosticTest {
	const (
		where     = "\n\n  Deployment:  shop/web\n"
		notServed = "The API server serves no Deployment of apps/v1."
	)
	unserved := &eval.NotServedError{Ref: web, APIVersion: "apps/v1"}
	custom := eval.Ref{Kind: eval.KindOf("acme.io", "Gadget"), Namespace: "shop", Name: "web"}
	aboutCustom := func(op terms.Operation, changes ...func(*message.Subject)) message.Subject {
		s := aboutWeb(op, changes...)
		s.ID.Ref = custom
		return s
	}
	yet := &eval.NotServedError{Ref: custom, APIVersion: "acme.io/v1", Served: []eval.ServedKind{
		{APIVersion: "v1", Kind: eval.KindOf("", "Pod"), Names: []string{"pod", "pods", "po"}},
		{APIVersion: "acme.io/v2", Kind: eval.KindOf("acme.io", "Gadget"), Names: []string{"gadget", "gadgets"}},
	}}
	const (
		patch  = "kubectl patch Deployment.v1.apps web --namespace shop --type merge --patch "
		policy = `To put back what it held first, apply deletion_policy = "restore" before the destroy. ` +
			`To remove it, apply deletion_policy = "delete" before the destroy. After the destroy, use kubectl as shown.`
		first = " existed before this resource wrote it, so it stays as it is.\n\n  Deployment:   shop/web\n  Field:        "
	)
	return map[string]diagnosticTest{
		"a number that stays": {
			of:       stays("spec.replicas", "5", "3"),
			severity: diag.SeverityWarning, summary: "Field Stays In Place",
			detail: "spec.replicas" + first + "spec.replicas\n  Found:        5\n  Held first:   3\n" +
				"  To remove:    " + patch + `'{"spec":{"replicas":null}}'` + "\n" +
				"  To put back:  " + patch + `'{"spec":{"replicas":3}}'` + "\n\n" + policy,
		},
		"an object that stays": {
			of:       stays("spec.strategy", `{"same":1,"new":{"a":1},"old":2}`, `{"same":1,"old":1}`),
			severity: diag.SeverityWarning, summary: "Field Stays In Place",
			detail: "spec.strategy" + first + "spec.strategy\n" +
				`  Found:        {"new":{"a":1},"old":2,"same":1}` + "\n" + `  Held first:   {"old":1,"same":1}` + "\n" +
				"  To remove:    " + patch + `'{"spec":{"strategy":null}}'` + "\n" +
				"  To put back:  " + patch + `'{"spec":{"strategy":{"new":null,"old":1}}}'` + "\n\n" + policy,
		},
		"a field of an element that stays": {
			of:       stays(`spec.template.spec.containers[name=web].image`, `"web:2"`, `"web:1"`),
			severity: diag.SeverityWarning, summary: "Field Stays In Place",
			detail: "spec.template.spec.containers[name=web].image existed before this resource wrote it, so it stays as it is.\n\n" +
				"  Deployment:  shop/web\n  Field:       spec.template.spec.containers[name=web].image\n" +
				"  Found:       \"web:2\"\n  Held first:  \"web:1\"\n  To remove:   kubectl edit Deployment.v1.apps web --namespace shop\n\n" + policy,
		},
		"a field that does not fit": {
			of:   aboutWeb(terms.OpCreate).Diagnose(&eval.FieldError{Ref: web, Key: replicasKey(), Err: errors.New("spec holds a value, which has no fields")}),
			path: `fields["spec.replicas"]`, summary: "Field Does Not Fit",
			detail: "The object does not have a field as spec.replicas says. Nothing was written." + where + "  Problem:     spec holds a value, which has no fields\n" +
				"\nCorrect the path or the value as the problem says, then run terraform plan again.",
		},
		"a field that does not fit, of a removal": {
			of:   aboutWeb(terms.OpDelete).Diagnose(&eval.FieldError{Ref: web, Key: replicasKey(), Err: errors.New("spec holds a value, which has no fields")}),
			path: `fields["spec.replicas"]`, summary: "Field Does Not Fit",
			detail: "The object does not have a field as spec.replicas says. Nothing was removed." + where + "  Problem:     spec holds a value, which has no fields\n" +
				"\nTo leave the Deployment as it is, apply deletion_policy = \"abandon\", then destroy.",
		},
		"fields that another version lacks": {
			of:   aboutWeb(terms.OpUpdate, planning).Diagnose(&message.LackingError{Keys: []string{replicasKey()}, Before: "apps/v1beta1"}),
			path: "api_version", summary: "Field Does Not Fit",
			detail: "apps/v1 does not have all of spec.replicas, as apps/v1beta1 does. Nothing was written." + where + "  Field:       spec.replicas\n" +
				"\nKeep api_version = \"apps/v1beta1\", or remove it from fields in an apply before this one." +
				" If this blocks a destroy, run CAS_PLAN_CHECK=warning terraform destroy. deletion_policy says what becomes of spec.replicas.",
		},
		"a kind that is not served": {
			of: aboutWeb(terms.OpCreate).Diagnose(unserved), path: "api_version", summary: "Kind Not Served",
			detail: notServed + " Nothing was written." + where + "\nCorrect api_version and kind.",
		},
		"a kind that is not served, in a plan": {
			of: aboutCustom(terms.OpCreate, planning).Diagnose(yet), severity: diag.SeverityWarning, path: "api_version", summary: "Kind Not Served",
			detail: "The API server serves no Gadget of acme.io/v1. The plan could not check the object. The apply checks it.\n\n" +
				"  Gadget:        shop/web\n  Did you mean:  Gadget in acme.io/v2\n\nIf this run makes the CustomResourceDefinition, let this resource depend on it. " +
				"Otherwise correct api_version and kind.",
		},
		"a kind that is not served, in a refresh": {
			of: aboutWeb(terms.OpRead).Diagnose(unserved), severity: diag.SeverityWarning, path: "api_version", summary: "Kind Not Served",
			detail: notServed + " The state stays as it is." + where + "\nCorrect api_version and kind.",
		},
		"a kind that is not served, in a destroy": {
			of: aboutWeb(terms.OpDelete).Diagnose(unserved), path: "api_version", summary: "Kind Not Served",
			detail: notServed + " Nothing was removed." + where + "\nIf the object is gone with its kind, run terraform state rm with the address of this resource. " +
				`Otherwise apply another api_version, or deletion_policy = "abandon", then destroy.`,
		},
		"no namespace": {
			of: aboutWeb(terms.OpCreate).Diagnose(&eval.ScopeError{Ref: web, Namespaced: true}), path: "namespace", summary: "Wrong Scope",
			detail: "A Deployment is in a namespace, and none is named. Nothing was written." + where + "\nSet namespace.",
		},
		"no discovery": {
			of:   aboutWeb(terms.OpCreate).Diagnose(&eval.ForbiddenError{Ref: web, Verb: "discover", Err: errors.New("forbidden")}),
			path: "api_version", summary: "Not Permitted",
			detail: "You do not have permission to ask which kinds apps/v1 has. Nothing was written." + where + "  API server:  forbidden\n" +
				"\nBind the role system:discovery, which all users have unless somebody took it away.",
		},
		"no role for the kind": {
			of:      aboutWeb(terms.OpCreate).Diagnose(&eval.ForbiddenError{Ref: web, Verb: "get", Err: errors.New("forbidden")}),
			summary: "Not Permitted",
			detail: "You do not have permission to get this Deployment. Nothing was written." + where + "  API server:  forbidden\n" +
				"\nGrant get and patch on the resource of kind Deployment in apps.",
		},
		"a refused removal": { // no value is sent, so the message names no number
			of:      aboutWeb(terms.OpDelete).Diagnose(&eval.RefusedError{Ref: web, Verb: "patch", Code: 422, Err: errors.New("no")}),
			summary: "Request Refused",
			detail: "The API server refused to patch the Deployment. Nothing was removed." + where + "  Status:      422\n  API server:  no\n" +
				"\nCorrect what the API server names, then run terraform plan again. If it refuses the rest of a map that this resource created, " +
				"set the topmost new map as a whole, with expected_fields and deletion_policy = \"delete\", then destroy. To leave the Deployment as it is, apply deletion_policy = \"abandon\", then destroy.",
		},
		"a number as text": {
			of:      aboutWeb(terms.OpCreate).Diagnose(&eval.RefusedError{Ref: web, Verb: "patch", Code: 422, Err: errors.New("no")}),
			summary: "Request Refused",
			detail: "The API server refused to patch the Deployment. Nothing was written." + where + "  Status:      422\n  API server:  no\n" +
				"\nspec.replicas is text that reads as a number. If the API server wants a number, not text, write it without quotes, or give the variable a type: type = number.",
		},
		"a field that does not exist, with a number as text": {
			of: aboutWeb(terms.OpCreate).Diagnose(&eval.RefusedError{
				Ref: web, Verb: "patch", Code: 422, Err: errors.New(`strict decoding error: unknown field "spec.nope"`),
			}),
			summary: "Request Refused",
			detail: "The API server refused to patch the Deployment. Nothing was written." + where +
				"  Status:      422\n  API server:  strict decoding error: unknown field \"spec.nope\"\n" +
				"\nCorrect what the API server names, then run terraform plan again.",
		},
		"a field of which a part stays": {
			of:   aboutWeb(terms.OpUpdate).Tangled([]string{replicasKey()}, "apps/v1"),
			path: "fields", summary: "Field Does Not Fit",
			detail: "fields has a part of spec.replicas, and the update would remove the rest of it. Nothing was written." + where +
				"  Field:       spec.replicas\n\nTo keep it and to manage only the part, set deletion_policy = \"abandon\" in the same change, " +
				"and name in expected_fields what the part holds.",
		},
		"a field that leaves the configuration with its API version": {
			of:   aboutWeb(terms.OpUpdate).Tangled([]string{replicasKey()}, "apps/v1beta1"),
			path: "fields", summary: "Field Does Not Fit",
			detail: "fields does not have spec.replicas any more, and api_version changes. Nothing was written." + where +
				"  Field:       spec.replicas\n\nRemove it from fields with api_version = \"apps/v1beta1\" first. " +
				"To leave it as it is, set deletion_policy = \"abandon\".",
		},
		"a field that is not there to import": {
			of: aboutWeb(terms.OpRead).NotImported([]string{replicasKey()}, &eval.Snapshot{}), path: "fields", summary: "Field Not Found",
			detail: "The Deployment does not have spec.replicas. Nothing was imported.\n\n  Deployment:  shop/web\n  Field:       spec.replicas\n\n" +
				"Correct the names in the import, or leave out the fields that do not exist yet: the next apply writes them.",
		},
		"a document that is not valid": {
			of: aboutDocument(terms.OpCreate).Diagnose(invalidDocument), path: "key", summary: "Document Does Not Fit",
			detail: "config.yaml is no document of YAML, or its spelling does not permit the change. Nothing was written." + whereDocument +
				"  Line:       2\n  Problem:    a list is not closed\n\nCorrect the document, or its format. To replace the whole text, use cas_configmap_entry.",
		},
		"a document that became invalid": {
			of: aboutDocument(terms.OpRead).Diagnose(invalidDocument), path: "key", summary: "Document Does Not Fit", severity: diag.SeverityWarning,
			detail: "config.yaml is no document of YAML, or its spelling does not permit the change. The state stays as it is." + whereDocument +
				"  Line:       2\n  Problem:    a list is not closed\n\nCorrect the document, or its format. To replace the whole text, use cas_configmap_entry.",
		},
		"a field of a document that stays": { // no merge patch of the ConfigMap changes a part of a text
			of:       aboutDocument(terms.OpDelete).Stays(decide.KeepUnknown, decide.Removals{{Key: levelKey(), Live: eval.Text("info")}}, nil),
			severity: diag.SeverityWarning, summary: "Field Stays In Place",
			detail: "It is not known what log.level held before this resource wrote it, so it stays as it is." + whereDocument +
				"  Field:      log.level\n  Found:      \"info\"\n  To remove:  kubectl edit configmap settings --namespace shop\n" +
				"\nTerraform does not manage it any more.",
		},
		"a document that became invalid before a destroy": {
			of: aboutDocument(terms.OpDelete).Diagnose(invalidDocument), path: "key", summary: "Document Does Not Fit",
			detail: "config.yaml is no document of YAML, or its spelling does not permit the change. Nothing was removed." + whereDocument +
				"  Line:       2\n  Problem:    a list is not closed\n\nCorrect the document, then destroy again. " +
				"To leave the ConfigMap as it is, apply deletion_policy = \"abandon\", then destroy.",
		},
		"a key with a document that a write creates": {
			of: aboutDocument(terms.OpCreate).CreatesKey(), path: "key", summary: "Key Does Not Exist Yet", severity: diag.SeverityWarning,
			detail: "The key with the document does not exist. The write creates the key." + whereDocument +
				"\nIf the key should exist already, correct the attribute key.",
		},
		"two owners": {
			of: aboutWeb(terms.OpCreate).KeyWrittenTwice([]string{replicasKey()}, false), path: `fields["spec.replicas"]`, summary: "Field Written Twice",
			detail: "Another resource has spec.replicas in the same configuration. Nothing was written." + where + "  Field:       spec.replicas\n" +
				"\nLeave it to one of the two. If one replaces the other, delete the old block and add a moved block.",
		},
	}
}

// invalidDocument is the error of a document.
var invalidDocument = &eval.FieldError{Key: replicasKey(), Err: &eval.DocumentError{
	Holder: eval.Holder{Key: "config.yaml", Format: "yaml"}, Line: 2, Reason: "a list is not closed",
}}

const whereDocument = "\n\n  ConfigMap:  shop/settings\n  Document:   config.yaml\n"

func levelKey() string {
	key, err := eval.DocumentKey(eval.Holder{Key: "config.yaml", Format: "yaml"}, "log.level")
	if err != nil {
		panic(err)
	}
	return key
}

// aboutDocument describes a resource with fields of a document.
func aboutDocument(op terms.Operation) message.Subject {
	ref := eval.Ref{Kind: eval.ConfigMap, Namespace: "shop", Name: "settings"}
	return message.Subject{ID: terms.EntryID{Ref: ref}, APIVersion: "v1", Document: "config.yaml", Op: op}
}

// No message about fields has more than twenty lines, whatever they hold.
func TestMessagesAboutFieldsAreShort(t *testing.T) {
	t.Parallel()
	large := map[bool]string{}
	for _, changed := range []bool{false, true} {
		var members []string
		for _, name := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
			members = append(members, `"`+name+`":"`+map[bool]string{false: "1", true: "2"}[changed]+strings.Repeat("x", 300)+`"`)
		}
		large[changed] = "{" + strings.Join(members, ",") + "}"
	}
	was, err := eval.JSON([]byte(large[false]))
	is, wrong := eval.JSON([]byte(large[true]))
	if err != nil || wrong != nil {
		t.Fatal(err, wrong)
	}
	d := aboutWeb(terms.OpUpdate).DriftOverwritten([]decide.Drift{{Key: replicasKey(), Found: is, ToWrite: was}}, nil)
	if n := strings.Count(d.Detail(), "\n") + 1; n > 20 || !strings.Contains(d.Detail(), "More differences:") || strings.Contains(d.Detail(), ".z") {
		t.Errorf("%d lines:\n%s", n, d.Detail())
	}

	var many []decide.Drift
	for i := range 40 {
		key, err := eval.FieldKey(eval.KindOf("apps", "Deployment"), fmt.Sprintf("metadata.labels.l%d", i))
		if err != nil {
			t.Fatal(err)
		}
		many = append(many, decide.Drift{Key: key, Found: eval.Text(numbered(30, "a")), ToWrite: eval.Text(numbered(30, "b"))})
	}
	for _, n := range []int{1, 2, 5, 11, 40} {
		conflict := &eval.ConflictError{Ref: web, Reason: eval.ReasonKey, Live: &eval.Snapshot{}}
		for _, m := range many[:n] {
			conflict.Keys = append(conflict.Keys, eval.KeyConflict{Key: m.Key, Reason: eval.ReasonKey, Expected: m.ToWrite})
		}
		for _, d := range []diag.Diagnostic{
			aboutWeb(terms.OpUpdate).DriftOverwritten(many[:n], nil), aboutWeb(terms.OpUpdate).Diagnose(conflict), aboutWeb(terms.OpDelete).Stays(decide.KeepExisting, kept(keysOf(many[:n])...), nil),
		} {
			text := d.Summary() + "\n" + d.Detail()
			if lines := strings.Count(text, "\n") + 1; lines > 20 {
				t.Errorf("%d lines:\n%s", lines, text)
			}
			for _, m := range many[:n] {
				if name, _ := message.NameOf(m.Key); !strings.Contains(text+",", name+",") && !strings.Contains(text, name+"\n") {
					t.Errorf("%s is not in\n%s", name, text)
				}
			}
		}
	}
}

// No message about several keys that drifted or stay has more than twenty lines.
func TestMessagesAboutKeysAreShort(t *testing.T) {
	t.Parallel()
	for _, n := range []int{5, 10, 14} {
		var drift []decide.Drift
		for i := range n {
			drift = append(drift, decide.Drift{
				Key: fmt.Sprintf("k%02d", i), Found: eval.Text("1"), ToWrite: eval.Text("2"), Written: new(eval.Text("3")),
			})
		}
		for _, d := range []diag.Diagnostic{
			aboutSeveral(terms.OpUpdate, planning).DriftRefused(drift, nil),
			aboutSeveral(terms.OpDelete, planning).Stays(decide.KeepExisting, kept(keysOf(drift)...), nil),
		} {
			text := d.Summary() + "\n" + d.Detail()
			if lines := strings.Count(text, "\n") + 1; lines > 20 || !strings.Contains(text, fmt.Sprintf("k%02d", n-1)) {
				t.Errorf("%d lines:\n%s", lines, text)
			}
		}
	}
}

// numbered is a text of n lines.
func numbered(n int, word string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s %d\n", word, i)
	}
	return b.String()
}
