package cas

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Given objects of many kinds; when fields are swapped; then they hold what was asked for, in the form in which the API server stores it, in one
// read and one patch, and the rest is as it was.
func TestFieldsOfManyKinds(t *testing.T) {
	t.Parallel()
	widget := newWidgets(t)
	for name, test := range map[string]struct {
		of      sample
		changes []change
		stored  map[string]string // where that differs
		others  map[string]string // that stay
	}{
		"image":    {deployment, []change{{"spec.template.spec.containers[name=web].image", `"web:1"`, `"web:2"`}}, nil, map[string]string{"spec.template.spec.containers[name=side].image": `"side:1"`}},
		"replicas": {deployment, []change{{"spec.replicas", "2", "3"}}, nil, nil},
		"replicas that are removed have a default": {deployment, []change{{"spec.replicas", "2", ""}}, map[string]string{"spec.replicas": "1"}, nil},
		"label and annotation":                     {deployment, []change{{"metadata.labels.team", `"a"`, `"b"`}, {`metadata.annotations["acme.io/x"]`, "", `"1"`}}, nil, nil},
		"label is removed":                         {deployment, []change{{"metadata.labels.team", `"a"`, ""}}, nil, nil},
		"cpu in its normal form": {
			deployment,
			[]change{{"spec.template.spec.containers[name=web].resources.limits.cpu", "", `"1000m"`}},
			map[string]string{"spec.template.spec.containers[name=web].resources.limits.cpu": `"1"`},
			nil,
		},
		"probe with defaults": {deployment, []change{
			{"spec.template.spec.containers[name=web].readinessProbe", "", `{"tcpSocket":{"port":80}}`},
		}, map[string]string{
			"spec.template.spec.containers[name=web].readinessProbe": `{"failureThreshold":3,"periodSeconds":10,"successThreshold":1,"tcpSocket":{"port":80},"timeoutSeconds":1}`,
		}, nil},
		"variable": {deployment, []change{{"spec.template.spec.containers[name=web].env[name=A].value", `"1"`, `"2"`}}, nil, nil},
		"variable is added": {deployment, []change{{"spec.template.spec.containers[name=side].env[name=B]", "", `{"name":"B","value":"1"}`}}, nil, map[string]string{
			"spec.template.spec.containers[name=web].env[name=A].value": `"1"`,
		}},
		"selector": {service, []change{{"spec.selector.color", `"blue"`, `"green"`}}, nil, map[string]string{"spec.selector.app": `"web"`}},
		"port is added": {
			service,
			[]change{{"spec.ports[name=alt]", "", `{"name":"alt","port":8080}`}},
			map[string]string{"spec.ports[name=alt]": `{"name":"alt","port":8080,"protocol":"TCP","targetPort":8080}`},
			map[string]string{"spec.ports[name=http].port": "80"},
		},
		"port":             {service, []change{{"spec.ports[name=http].port", "80", "81"}}, nil, nil},
		"taint is added":   {node, []change{{"spec.taints[key=dedicated,effect=NoSchedule]", "", `{"key":"dedicated","value":"x","effect":"NoSchedule"}`}}, nil, map[string]string{"spec.taints[key=a].effect": `"NoSchedule"`}},
		"taint is removed": {node, []change{{"spec.taints[key=a]", `{"effect":"NoSchedule","key":"a"}`, ""}}, nil, map[string]string{"spec.taints[key=b].value": `"x"`}},
		"autoscaler":       {scale, []change{{"spec.maxReplicas", "5", "9"}, {"spec.minReplicas", "1", "2"}}, nil, nil},
		"ingress":          {ingress, []change{{`metadata.annotations["acme.io/x"]`, `"1"`, `"2"`}, {"metadata.finalizers[=acme.io/hold]", `"acme.io/hold"`, ""}}, nil, nil},
		"finalizer":        {ingress, []change{{"metadata.finalizers[=acme.io/more]", "", `"acme.io/more"`}}, nil, map[string]string{"metadata.finalizers[=acme.io/hold]": `"acme.io/hold"`}},
		"custom resource": {widget, []change{
			{"spec.number", "9007199254740993", "9007199254740995"},
			{"spec.parts[name=a].weight", "1", "5"},
			{"spec.parts[name=c]", "", `{"name":"c"}`},
			{"spec.flavours[=red]", `"red"`, ""},
			{"spec.mode.limit", "", "3"},
			{"spec.fixed.x", `"1"`, `"2"`},
			{"spec.ratio", "", "0.5"},
		}, map[string]string{"spec.parts[name=c]": `{"name":"c","weight":7}`}, map[string]string{"spec.parts[name=b].weight": "2", "spec.mode.kind": `"slow"`, "spec.flavours[=blue]": `"blue"`}},
		"element of a plain list": {widget, []change{{"spec.plain[id=2].text", "", `"x"`}}, nil, map[string]string{"spec.plain": `[{"id":"1"},{"id":"2","text":"x"}]`}},
		"a list as a whole":       {widget, []change{{"spec.flavours", `["red","blue"]`, `["green"]`}}, nil, nil},
		"a map as a whole":        {service, []change{{"spec.selector", `{"app":"web","color":"blue"}`, `{"app":"other"}`}}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFields(t, test.of)
			result, err := f.commit(f.txn(test.changes...))
			f.want(eval.Applied, err)
			for _, c := range test.changes {
				want := c.to
				if stored, ok := test.stored[c.path]; ok {
					want = stored
				}
				if got := result.Stored[f.key(c.path)]; err == nil && got != jsonOf(t, want) {
					t.Errorf("%s is stored as %s, want %s", c.path, got.Raw(), want)
				}
				f.wantField(c.path, want)
			}
			for path, want := range test.others {
				f.wantField(path, want)
			}
			f.wantRequests("GET GET PATCH") // discovery, the object, the write
		})
	}
}

// Given a Deployment; when a path leads nowhere, or to several, or through what is no list; then nothing is written, and the error says what to do.
func TestPathThatDoesNotFitTheObject(t *testing.T) {
	t.Parallel()
	widget := newWidgets(t)
	for name, test := range map[string]struct {
		of     sample
		change change
		want   string
	}{
		"an element that is not there":     {deployment, change{"spec.template.spec.containers[name=none].image", "", `"x"`}, "spec.template.spec.containers[name=none] is not there"},
		"a list without a selector":        {deployment, change{"spec.template.spec.containers.image", "", `"x"`}, "spec.template.spec.containers is a list: select one of its elements"},
		"a selector of a map":              {deployment, change{"spec.selector[name=x]", "", `{"name":"x"}`}, "spec.selector is no list"},
		"a field of a number":              {deployment, change{"spec.replicas.x", "", `"x"`}, "spec.replicas holds a value, which has no fields"},
		"several elements":                 {widget, change{"spec.parts[weight=1].name", "", `"x"`}, "several elements that [weight=1] selects"},
		"several elements, as a guard":     {widget, change{"spec.parts[weight=1].name", `"a"`, "guard"}, "several elements that [weight=1] selects"},
		"several elements, to be removed":  {widget, change{"spec.parts[weight=1]", "", ""}, "several elements that [weight=1] selects"},
		"an element that would not be it":  {service, change{"spec.ports[name=alt]", "", `{"name":"other","port":1}`}, "and set spec.ports[name=other] as a whole to add the new one"},
		"a field that selects its element": {service, change{"spec.ports[name=http].name", `"http"`, `"other"`}, "spec.ports[name=http] would become another element: set spec.ports[name=http] = null"},
		"an element of a list of texts":    {ingress, change{"metadata.finalizers[=acme.io/x]", "", `"acme.io/y"`}, "and set metadata.finalizers[=acme.io/y] as a whole"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFields(t, test.of)
			if strings.Contains(test.change.path, "weight=1") {
				f.merge("other", `{"spec":{"parts":[{"name":"a","weight":1},{"name":"b","weight":1}]}}`)
			}
			before := f.raw()
			_, err := f.commit(f.txn(test.change))
			f.want(eval.Rejected, err)
			var told *eval.FieldError
			if !errors.As(err, &told) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want a FieldError with %q", err, test.want)
			}
			if after := f.raw(); within(after, "metadata", "resourceVersion") != within(before, "metadata", "resourceVersion") {
				t.Errorf("something was written: %v", after)
			}
			if n := f.proxy.Count(http.MethodPatch); n > 0 {
				t.Errorf("%d patches", n)
			}
		})
	}
}
