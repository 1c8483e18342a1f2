package fieldpaths_test

import (
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/fieldpaths"
)

func TestPathHasOneSpelling(t *testing.T) {
	t.Parallel()
	for spelled, want := range map[string]string{
		"spec.replicas":     "spec.replicas",
		".spec.replicas":    "spec.replicas",
		`["spec"].replicas`: "spec.replicas",
		"spec.template.spec.containers[name=web].image":      "spec.template.spec.containers[name=web].image",
		`.spec.template.spec.containers[name="web"].image`:   "spec.template.spec.containers[name=web].image",
		"spec.taints[key=dedicated,effect=NoSchedule]":       "spec.taints[effect=NoSchedule,key=dedicated]",
		`.spec.taints[effect="NoSchedule",key="dedicated"]`:  "spec.taints[effect=NoSchedule,key=dedicated]",
		"metadata.finalizers[=acme.io/hold]":                 "metadata.finalizers[=acme.io/hold]",
		`.metadata.finalizers[="acme.io/hold"]`:              "metadata.finalizers[=acme.io/hold]",
		`metadata.annotations["acme.io/x"]`:                  `metadata.annotations["acme.io/x"]`,
		`metadata.annotations["plain"]`:                      "metadata.annotations.plain",
		"metadata.labels.a/b":                                "metadata.labels.a/b",
		`spec.ports[port=8080,protocol=TCP].name`:            "spec.ports[port=8080,protocol=TCP].name",
		`spec.env[name="a, b]"].value`:                       `spec.env[name="a, b]"].value`,
		`spec.env[name="say \"hi\""].value`:                  `spec.env[name="say \"hi\""].value`,
		`spec.list[=""]`:                                     `spec.list[=""]`,
		`spec.grid[name=a][=b]`:                              `spec.grid[name=a][=b]`,
		`spec.selector["app.kubernetes.io/name"]`:            `spec.selector["app.kubernetes.io/name"]`,
		`spec["a b"]["c]"]`:                                  `spec["a b"]["c]"]`,
		"spec.tolerations[key=a.b/c,operator=Exists].effect": "spec.tolerations[key=a.b/c,operator=Exists].effect",
		"spec.x-kubernetes_y.$ref":                           "spec.x-kubernetes_y.$ref",
		"spec.AZ09az":                                        "spec.AZ09az",
		`["$"].x`:                                            `["$"].x`,
		`metadata.labels["caf\u00e9"]`:                       `metadata.labels["café"]`,
		"metadata.annotations[\"cafe\u0301\"]":               `metadata.annotations["cafe\u0301"]`, // which Terraform would make another name of
		"spec.list[=cafe\u0301]":                             `spec.list[="cafe\u0301"]`,
	} {
		p, err := fieldpaths.Parse(spelled)
		if err != nil {
			t.Errorf("%s: %v", spelled, err)
			continue
		}
		if got := fieldpaths.Text(p); got != want {
			t.Errorf("%s is spelled %s, want %s", spelled, got, want)
		}
	}
}

// The API server prints a path with Path.String.
func TestWhatTheAPIServerPrintsIsRead(t *testing.T) {
	t.Parallel()
	printed := fieldpath.MakePathOrDie("spec", "ports", fieldpath.KeyByFields("port", 8080, "protocol", "TCP"), "name").String()
	p, err := fieldpaths.Parse(printed)
	if err != nil || fieldpaths.Text(p) != "spec.ports[port=8080,protocol=TCP].name" {
		t.Errorf("%s is read as %s (%v)", printed, fieldpaths.Text(p), err)
	}
}

func TestWhatIsNoPathSaysHowToWriteIt(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"":                                       "must not be empty",
		".":                                      "must not be empty",
		"spec..x":                                "must not be empty",
		"spec.":                                  "must not be empty",
		"spec.containers[0].image":               "select the element by what it holds, as [name=web]",
		"spec.containers[].image":                "select the element by what it holds, as [name=web]",
		"spec.containers[*].image":               "select the element by what it holds, as [name=web]",
		"spec.containers[0].env[name=a].value":   "[0] is a place in a list",
		"spec.containers[].env[name=a].value":    "[] is a place in a list",
		"spec. a":                                `must be in quotes: [" a"]`,
		"spec.containers[web].image":             `a selector has a "=", as [name=web]`,
		"spec.containers[name=web":               `no "]"`,
		"spec.containers[name=web,]":             `select`,
		"spec.containers[name=]":                 "must be in quotes",
		`metadata.annotations['a.b/c']`:          `write it as metadata.annotations["a.b/c"]`,
		`metadata.annotations.a\.b/c`:            `write it as metadata.annotations["a.b/c"]`,
		`spec.x['a.b'].c[name=d].e`:              `write it as spec.x["a.b"].c[name=d].e`,
		`spec.a\.b\.c.d`:                         `write it as spec["a.b.c"].d`,
		"/spec/replicas":                         "write it as spec.replicas",
		"$.spec.replicas":                        "write it as spec.replicas",
		"$['spec'].replicas":                     "write it as spec.replicas",
		"{.spec.replicas}":                       "write it as spec.replicas",
		"{$.spec.replicas}":                      "write it as spec.replicas",
		`{.metadata.annotations.a\.b/c}`:         `write it as metadata.annotations["a.b/c"]`,
		"/metadata/annotations/a.b~1c":           `write it as metadata.annotations["a.b/c"]`,
		"spec.containers[name='web'].image":      `the operand 'web' of a selector must be in double quotes, as "web"`,
		"spec.containers[name=a,name=b]":         `names "name" twice`,
		"spec.containers[=a,name=b]":             "selector names a field",
		"spec.containers[name=web]image":         `there must be "." or "["`,
		"[name=web]":                             "not a list",
		`spec.a"b`:                               `["a\"b"]`,
		"metadata.annotations.acme.io/x":         `must be in quotes, as metadata.annotations["acme.io/x"]`,
		"metadata.labels.app.kubernetes.io/name": `metadata.labels["app.kubernetes.io/name"]`,
		"spec.template.metadata.annotations.a.b": `spec.template.metadata.annotations["a.b"]`,
		"metadata.labels.a[name=b]":              "labels holds texts",
		"spec.\xff":                              "UTF-8",
		`spec["\xff"]`:                           "UTF-8",
	} {
		p, err := fieldpaths.Parse(path)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v (read as %s), want %q in it", path, err, fieldpaths.Text(p), want)
		}
	}
}

func TestAScalarIsWrittenInFull(t *testing.T) {
	t.Parallel()
	for want, scalar := range map[string]any{"1.25": 1.25, "9007199254740993": int64(9007199254740993), "true": true, "": nil} {
		if got := fieldpaths.Scalar(scalar); got != want {
			t.Errorf("%v is written as %q, want %q", scalar, got, want)
		}
	}
}

func TestOverlap(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a, b string
		want bool
	}{
		{"spec.replicas", "spec.replicas", true},
		{"spec", "spec.replicas", true},
		{"spec.replicas", "spec.paused", false},
		{"spec.rep", "spec.replicas", false},
		{"spec.replicas", "status.replicas", false},
		{"spec.containers[name=a].image", "spec.containers[name=b].image", false},
		{"spec.containers[name=a].image", "spec.containers[name=a].command", false},
		{"spec.containers[name=a]", "spec.containers[name=a].command", true},
		{"spec.containers", "spec.containers[name=a].command", true},
		{"spec.containers[name=a].image", "spec.containers[image=b].image", true},
		{"spec.taints[key=a,effect=x]", "spec.taints[key=a]", true},
		{"spec.taints[key=a,effect=x]", "spec.taints[effect=y,key=a]", false},
		{"spec.ports[name=a].port", "spec.ports[port=80].targetPort", true},
		{"spec.ports[name=a].port", "spec.ports[name=b,port=80].targetPort", false},
		{"metadata.finalizers[=a]", "metadata.finalizers[=b]", false},
		{"metadata.finalizers[=a]", "metadata.finalizers[=a]", true},
		{"metadata.finalizers[=a]", "metadata.finalizers[name=a]", false},
	}
	for _, test := range tests {
		a, b := parsed(t, test.a), parsed(t, test.b)
		if got := fieldpaths.MayOverlap(a, b); got != test.want || fieldpaths.MayOverlap(b, a) != got {
			t.Errorf("%s and %s may overlap: %t, want %t", test.a, test.b, got, test.want)
		}
		isSure := test.want && !slices.Contains(unsure, test.a+" "+test.b)
		if got := fieldpaths.Overlap(a, b); got != isSure || fieldpaths.Overlap(b, a) != got {
			t.Errorf("%s and %s overlap: %t, want %t", test.a, test.b, got, isSure)
		}
	}
}

// unsure are paths that overlap in some objects, and not in others.
var unsure = []string{
	"spec.containers[name=a].image spec.containers[image=b].image",
	"spec.ports[name=a].port spec.ports[port=80].targetPort",
}

func parsed(t *testing.T, text string) fieldpath.Path {
	t.Helper()
	p, err := fieldpaths.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSelectorComparesTexts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		selector string
		element  any
		want     bool
	}{
		{"[name=123]", map[string]any{"name": "123"}, true},
		{"[name=123]", map[string]any{"name": int64(123)}, true},
		{"[name=1.5]", map[string]any{"name": 1.5}, true},
		{"[name=true]", map[string]any{"name": true}, true},
		{"[name=a,port=1]", map[string]any{"name": "a", "port": int64(1), "more": "x"}, true},
		{"[name=a,port=1]", map[string]any{"name": "a"}, false},
		{`[name=""]`, map[string]any{"name": map[string]any{}}, false},
		{`[name=""]`, map[string]any{"name": nil}, false},
		{`[name=""]`, map[string]any{}, false},
		{`[name=""]`, map[string]any{"name": ""}, true},
		{"[name=a]", "a", false},
		{"[=a]", "a", true},
		{"[=a]", map[string]any{"name": "a"}, false},
		{`[=""]`, nil, false},
	}
	for _, test := range tests {
		if got := fieldpaths.Selects(parsed(t, "x"+test.selector)[1], test.element); got != test.want {
			t.Errorf("%s selects %v: %t, want %t", test.selector, test.element, got, test.want)
		}
	}
}

func TestRefusedPaths(t *testing.T) {
	t.Parallel()
	tests := []struct {
		group, kind, path string
		writing, reading  string // what the error says; empty where there is none
	}{
		{"apps", "Deployment", "spec.replicas", "", ""},
		{"apps", "Deployment", "spec", "", ""},
		{"apps", "Deployment", "status.readyReplicas", "can be read", ""},
		{"apps", "Deployment", "status", "can be read", ""},
		{"apps", "Deployment", "apiVersion", "can be read", ""},
		{"apps", "Deployment", "kind", "can be read", ""},
		{"apps", "Deployment", "metadata", "only labels", ""},
		{"apps", "Deployment", "metadata.name", "only labels", ""},
		{"apps", "Deployment", "metadata.managedFields", "only labels", ""},
		{"apps", "Deployment", "metadata.labels", "", ""},
		{"apps", "Deployment", "metadata.annotations.a", "", ""},
		{"apps", "Deployment", "metadata.finalizers[=a]", "", ""},
		{"apps", "Deployment", "metadata.ownerReferences[uid=a]", "", ""},
		{"", "ConfigMap", "data.foo", "cas_configmap_data", "cas_configmap_data"},
		{"", "ConfigMap", "binaryData", "cas_configmap_data", "cas_configmap_data"},
		{"", "ConfigMap", "immutable", "cas_configmap", "cas_configmap"},
		{"", "ConfigMap", "metadata.labels.a", "", ""},
		{"", "Secret", "data", "cas_secret_data", "cas_secret_data"},
		{"", "Secret", "stringData.a", "cas_secret_data", "cas_secret_data"},
		{"", "Secret", "type", "", ""},
		{"", "Secret", "metadata.annotations", "another annotation", "another annotation"},
		{"", "Secret", "metadata", "another annotation", "another annotation"},
		{"", "Secret", `metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]`, "another annotation", "another annotation"},
		{"", "Secret", `metadata.annotations["a"]`, "", ""},
		{"acme.io", "Secret", "data.foo", "", ""},
		{"", "Node", `metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]`, "", ""},
	}
	for _, test := range tests {
		for use, want := range map[fieldpaths.Use]string{fieldpaths.Writing: test.writing, fieldpaths.Reading: test.reading} {
			err := fieldpaths.Check(test.group, test.kind, parsed(t, test.path), use)
			if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s of %s, writing %t: %v, want %q", test.path, test.kind, use, err, want)
			}
		}
	}
}

func FuzzPath(f *testing.F) {
	for _, text := range []string{
		"spec.replicas", `.a["b.c"][name="x",y=1].d[=z]`, `metadata.annotations["acme.io/x"]`, `a["\""]`, `a[b="]"]`, "a[=\u00e9]", `x["\u200b"]`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := fieldpaths.Parse(text)
		if err != nil {
			return
		}
		printed := fieldpaths.Text(p)
		again, err := fieldpaths.Parse(printed)
		if err != nil || !again.Equals(p) || fieldpaths.Text(again) != printed {
			t.Errorf("%q is %q, which is %q (%v)", text, printed, fieldpaths.Text(again), err)
		}
		if !fieldpaths.Overlap(p, again) {
			t.Errorf("%q does not overlap itself", printed)
		}
	})
}
