package fieldpaths

import (
	"fmt"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Use is the purpose of a path.
type Use bool

const (
	Reading Use = false
	Writing Use = true
)

// lastApplied is the annotation that contains a whole object, and therefore the values of a Secret.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// of maps the fields of a kind to the resources that write their entries.
var of = map[string]map[string]string{
	"ConfigMap": {
		"data":       "cas_configmap_entry or cas_configmap_data",
		"binaryData": "cas_configmap_entry or cas_configmap_data",
		"immutable":  "cas_configmap",
	},
	"Secret": {
		"data":       "cas_secret_entry or cas_secret_data",
		"stringData": "cas_secret_entry or cas_secret_data",
		"immutable":  "cas_secret",
	},
}

// Check refuses a path that must not be used in this way for objects of a kind.
func Check(group, kind string, p fieldpath.Path, use Use) error {
	refuse := func(why string) error { return fmt.Errorf("%s: %s", Text(p), why) }
	first := nameAt(p, 0)
	if group == "" {
		if meant, isEntries := of[kind][first]; isEntries {
			return refuse(fmt.Sprintf("use %s for %s of a %s", meant, first, kind))
		}
		inAnnotations := nameAt(p, 1) == "annotations" && (len(p) == 2 || nameAt(p, 2) == lastApplied)
		inLastApplied := first == "metadata" && (len(p) == 1 || inAnnotations)
		if kind == "Secret" && inLastApplied {
			return refuse("it holds the values of the Secret, in the annotation " + lastApplied + ": name another annotation")
		}
	}
	if use == Reading {
		return nil
	}
	switch first {
	case "status":
		return refuse("status is what a controller reports, and can be read, but not be written")
	case "apiVersion", "kind":
		return refuse("it says which object this is, and can be read, but not be written")
	case "metadata":
		writable := []string{"labels", "annotations", "finalizers", "ownerReferences"}
		if len(p) == 1 || !slices.Contains(writable, nameAt(p, 1)) {
			return refuse("of metadata, only labels, annotations, finalizers and ownerReferences can be written")
		}
	}
	return nil
}

// nameAt returns the name of the field at index i of a path; "" if that element names no field.
func nameAt(p fieldpath.Path, i int) string {
	if i >= len(p) || p[i].FieldName == nil {
		return ""
	}
	return *p[i].FieldName
}
