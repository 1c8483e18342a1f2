package acceptance_test

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"maps"
	"net/http"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// guideRoles are the rows of the guide's table: the verbs that a plan and an apply need, by what is planned and applied.
func guideRoles(t *testing.T) map[string][2][]string {
	t.Helper()
	verbs := func(cell string) []string {
		found := regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(cell, -1)
		all := make([]string, len(found))
		for i, match := range found {
			all[i] = match[1]
		}
		return slices.Sorted(slices.Values(all))
	}
	_, table, found := strings.Cut(guideText(t, "rbac"), "| what | plan | apply |\n| --- | --- | --- |\n")
	if !found {
		t.Fatal("the guide has no table")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	rows := map[string][2][]string{}
	for line := range strings.SplitSeq(strings.TrimSpace(table), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 3 {
			t.Fatalf("not a row: %s", line)
		}
		rows[cells[0]] = [2][]string{verbs(cells[1]), verbs(cells[2])}
	}
	return rows
}

// roleCase is one thing that a row is about. What is in the state before, the administrator has applied.
type roleCase struct {
	before   data
	applied  string
	settings string // of the provider
	body     string
	during   func(*pipeline, *testcluster.Proxy) // set up before each apply
	anyName  bool                                // the name is not known before
	secret   bool                                // it is about a Secret, not a ConfigMap
}

func (c roleCase) plural() string {
	if c.secret {
		return "secrets"
	}
	return "configmaps"
}

var roleCases = map[string]map[string]roleCase{
	"`cas_configmap_entry`, `cas_configmap_data`, made or changed": {
		"an entry, made":    {before: data{"foo": "1"}, body: entryBlock("it", `value = "2"`, `expected_value = "1"`)},
		"an entry, changed": {before: data{}, applied: entryBlock("it", `value = "1"`), body: entryBlock("it", `value = "2"`)},
		"an entry, to be waited for, where there is nothing to wait for": {
			before: data{"foo": "1"}, body: entryBlock("it", `value = "2"`, `expected_value = "1"`, `conflict_scope = "key"`, `wait_for_match = "1m"`),
		},
		"data, made":    {before: data{"foo": "1"}, body: dataBlock("it", `data = { foo = "2" }`, `expected_data = { foo = "1", bar = null }`)},
		"data, changed": {before: data{}, applied: dataBlock("it", `data = { foo = "1" }`), body: dataBlock("it", `data = { bar = "2" }`)},
	},
	"`cas_configmap_entry`, `cas_configmap_data`, removed": {
		"an entry":       {before: data{}, applied: entryBlock("it", `value = "1"`), body: ""},
		"data, restored": {before: data{}, applied: dataBlock("it", `data = { foo = "1" }`, `deletion_policy = "restore"`), body: ""},
	},
	"`cas_configmap_counter`, made or changed": {
		"made":    {before: data{"foo": "7"}, body: counterBlock("it")},
		"changed": {before: data{"foo": "7"}, applied: counterBlock("it"), body: counterBlock("it", `triggers = { a = "b" }`)},
	},
	"`cas_configmap`, made":                      {"": {body: wholeBlock("it", `data = { foo = "1" }`)}},
	"`cas_configmap`, made with `generate_name`": {"": {body: generatedBlock, anyName: true}},
	"`cas_configmap`, changed":                   {"": {applied: wholeBlock("it", `data = { foo = "1" }`), body: wholeBlock("it", `data = { foo = "2" }`)}},
	"`cas_configmap`, destroyed":                 {"": {applied: wholeBlock("it", `data = { foo = "1" }`), body: ""}},
	"the same, with `deletion_policy = \"abandon\"`": {
		"an entry": {before: data{}, applied: entryBlock("it", `value = "1"`, `deletion_policy = "abandon"`), body: ""},
		"data":     {before: data{}, applied: dataBlock("it", `data = { foo = "1" }`, `deletion_policy = "abandon"`), body: ""},
	},
	"`cas_configmap_counter`, removed": {"": {before: data{}, applied: counterBlock("it"), body: ""}},
	"the data sources": {
		"an entry": {before: data{"foo": "1"}, body: readingBlock("cas_configmap_entry", `key = "foo"`)},
		"all":      {before: data{"foo": "1"}, body: readingBlock("cas_configmap")},
		"none":     {body: readingBlock("cas_configmap")},
	},
	"an import": {
		"an entry": {before: data{"foo": "1"}, body: imported("cas_configmap_entry", "/foo") + entryBlock("it", `value = "1"`)},
	},
	"`wait_for_match`, where there is something to wait for": {
		"": {
			before: data{"foo": "0"}, body: entryBlock("it", `value = "2"`, `expected_value = "1"`, `conflict_scope = "key"`, `wait_for_match = "1m"`),
			during: func(p *pipeline, proxy *testcluster.Proxy) {
				p.set("testmap", "foo", "0")
				p.onWatches(proxy, func() testcluster.Fault { return watched(func() { p.set("testmap", "foo", "1") }) })
			},
		},
	},
	"`plan_dry_run` with `cas_configmap_entry`, `cas_configmap_data`, `cas_configmap_counter`, made or changed": {
		"an entry": {settings: rehearsing, before: data{"foo": "1"}, body: entryBlock("it", `value = "2"`, `expected_value = "1"`)},
		"data":     {settings: rehearsing, before: data{"foo": "1"}, body: dataBlock("it", `data = { foo = "2" }`, `expected_data = { foo = "1" }`)},
		"a number": {settings: rehearsing, before: data{"foo": "7"}, body: counterBlock("it")},
	},
	"`plan_dry_run` with `cas_configmap_entry`, `cas_configmap_data`, removed": {
		"": {settings: rehearsing, before: data{}, applied: entryBlock("it", `value = "1"`), body: ""},
	},
	"`plan_dry_run` with `cas_configmap`, made": {"": {settings: rehearsing, body: wholeBlock("it", `data = { foo = "1" }`)}},
	"`plan_dry_run` with `cas_configmap`, changed": {
		"": {settings: rehearsing, applied: wholeBlock("it", `data = { foo = "1" }`), body: wholeBlock("it", `data = { foo = "2" }`)},
	},
	"`plan_dry_run` with `cas_configmap`, destroyed": {"": {settings: rehearsing, applied: wholeBlock("it", `data = { foo = "1" }`), body: ""}},
}

const rehearsing = "plan_dry_run = true"

const generatedBlock = "resource \"cas_configmap\" \"it\" {\n  namespace = NAMESPACE\n  generate_name = \"testmap-\"\n}\n"

// readingBlock is a data source of testmap, and an output, for there to be a change.
func readingBlock(kind string, lines ...string) string {
	return "data \"" + kind + "\" \"it\" {\n  namespace = NAMESPACE\n  name = \"testmap\"\n" + strings.Join(lines, "\n") + "\n}\n" +
		"output \"exists\" {\n  value = data." + kind + ".it.exists\n}\n"
}

func imported(kind, rest string) string {
	return "import {\n  to = " + kind + ".it\n  id = \"${NAMESPACE}/testmap" + rest + "\"\n}\n"
}

// verbs are those that RBAC knows the requests by, each once. It fails the test for a request about anything but such objects of the namespace.
func (p *pipeline) verbs(plural string, requests []testcluster.Request) []string {
	p.Helper()
	found := map[string]bool{}
	all := "/api/v1/namespaces/" + p.namespace + "/" + plural
	for _, r := range requests {
		named := path.Dir(r.Path) == all
		switch {
		case r.Method == http.MethodGet && (named || r.Query.Has("timeoutSeconds")): // a read by a watch becomes a get where that is not permitted
			found["get"] = true
		case r.Method == http.MethodGet && r.Path == all && r.Query.Get("watch") != "" && r.Query.Get("fieldSelector") == "metadata.name=testmap":
			found["watch"] = true
		case r.Method == http.MethodPost && r.Path == all:
			found["create"] = true
		case r.Method == http.MethodPatch && named, r.Method == http.MethodDelete && named:
			found[strings.ToLower(r.Method)] = true
		default:
			p.Errorf("the roles know nothing of %s", r)
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// as has the provider be a user with just these verbs from now on.
func (p *pipeline) as(c roleCase, user string, verbs []string) *testcluster.Proxy {
	p.Helper()
	rule := func(names []string, verbs ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{c.plural()}, ResourceNames: names, Verbs: verbs}
	}
	var rules []rbacv1.PolicyRule
	for _, verb := range verbs {
		names := []string{"testmap"}
		if verb == "create" || c.anyName {
			names = nil
		}
		rules = append(rules, rule(names, verb))
	}
	if rules == nil {
		rules = append(rules, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"events"}, Verbs: []string{"get"}})
	}
	proxy := p.cluster.ProxyFor(p, p.cluster.User(p, user+"-"+p.namespace, p.namespace, rules...))
	p.leadTo(proxy.Config)
	return proxy
}

// The guide's table is exact: with these verbs a plan and an apply succeed, each is asked for, no other is, and without any one of
// them they end in the 403 that names it.
func TestGuideRoles(t *testing.T) {
	t.Parallel()
	rows := guideRoles(t)
	for row := range rows {
		if roleCases[row] == nil {
			t.Errorf("no test knows the row %s", row)
		}
	}
	for row, cases := range roleCases {
		for name, c := range cases {
			t.Run(row+"/"+name, func(t *testing.T) {
				verbs, found := rows[row]
				if !found {
					t.Fatal("the guide has no such row")
				}
				c.run(t, verbs[0], verbs[1])
			})
		}
	}
}

func (c roleCase) run(t *testing.T, toPlan, toApply []string) {
	t.Helper()
	p := newCLIPipeline(t)
	kind := "ConfigMap"
	switch {
	case c.secret:
		kind = "Secret"
		if c.before != nil {
			p.createSecret("testmap", c.before)
		}
	case c.before != nil:
		p.create("testmap", c.before)
	}
	if c.applied != "" {
		p.planned(c.applied)
	}
	p.writeFor(p.kubeconfig, c.settings, c.body)
	without := func(verbs []string, verb string) []string {
		return slices.DeleteFunc(slices.Clone(verbs), func(v string) bool { return v == verb })
	}
	refusal := func(verb string) []string {
		return []string{"Error: Not Permitted", "permission to " + verb + " this " + kind, kind + ": " + p.namespace + "/testmap"}
	}
	for _, verb := range toPlan {
		p.as(c, "no-"+verb+"-to-plan", without(toPlan, verb))
		p.planRefused(refusal(verb))
	}
	for _, verb := range toApply {
		p.as(c, "before-no-"+verb, toPlan)
		p.plan()
		rest := without(toApply, verb)
		if len(rest) == 0 && verb != "get" {
			rest = []string{"get"} // with nothing at all, what is refused first is to look
		}
		proxy := p.as(c, "no-"+verb, rest)
		if c.during != nil {
			c.during(p, proxy)
		}
		p.applyRefused(refusal(verb)...)
	}
	planner := p.as(c, "planner", toPlan)
	p.plan()
	applier := p.as(c, "applier", toApply)
	if c.during != nil {
		c.during(p, applier)
	}
	p.apply()
	for what, got := range map[string][2][]string{
		"plan": {toPlan, p.verbs(c.plural(), planner.Requests())}, "apply": {toApply, p.verbs(c.plural(), applier.Requests())},
	} {
		if diff := cmp.Diff(got[0], got[1]); diff != "" && len(got[0])+len(got[1]) > 0 {
			t.Errorf("what the %s asks for (-guide +requests):\n%s", what, diff)
		}
	}
}

// Resources of Secrets need the verbs of the table, on Secrets.
func TestGuideRolesForSecrets(t *testing.T) {
	t.Parallel()
	of := func(block string) string { return strings.Replace(block, `"database"`, `"testmap"`, 1) }
	entry, several := func(lines ...string) string { return of(secretEntry(lines...)) }, func(lines ...string) string { return of(secretData(lines...)) }
	whole := func(lines ...string) string { return of(secretBlock(lines...)) }
	const getOnly, getPatch, getCreate, remove = "get", "get, patch", "get, create", "delete"
	for name, test := range map[string]struct {
		roleCase
		plan, apply string
	}{
		"an entry, made":      {roleCase{before: data{}, body: entry(`value_wo = "1"`)}, getOnly, getPatch},
		"an entry, changed":   {roleCase{before: data{}, applied: entry(`value_wo = "1"`), body: entry(`value_wo = "2"`, `value_wo_version = 2`)}, getOnly, getPatch},
		"an entry, removed":   {roleCase{before: data{}, applied: entry(`value_wo = "1"`)}, getOnly, "patch"},
		"data, made":          {roleCase{before: data{}, body: several(`data_wo = { a = "1" }`)}, getOnly, getPatch},
		"data, changed":       {roleCase{before: data{}, applied: several(`data_wo = { a = "1" }`), body: several(`data_wo = { b = "1" }`)}, getOnly, getPatch},
		"data, removed":       {roleCase{before: data{}, applied: several(`data_wo = { a = "1" }`)}, getOnly, "patch"},
		"a Secret, made":      {roleCase{body: whole(`data_wo = { a = "1" }`)}, getOnly, getCreate},
		"a Secret, changed":   {roleCase{applied: whole(`data_wo = { a = "1" }`), body: whole(`data_wo = { a = "2" }`, `data_wo_version = 2`)}, getOnly, getPatch},
		"a Secret, destroyed": {roleCase{applied: whole(`data_wo = { a = "1" }`)}, getOnly, remove},
	} {
		t.Run(name, func(t *testing.T) {
			test.secret = true
			test.run(t, strings.Split(test.plan, ", "), slices.Sorted(strings.SplitSeq(test.apply, ", ")))
		})
	}
}

// manifest decodes the roles of a manifest.
func manifest(t *testing.T, text string) []rbacv1.Role {
	t.Helper()
	var roles []rbacv1.Role
	for decoder := utilyaml.NewYAMLOrJSONDecoder(strings.NewReader(text), 1024); ; {
		var role rbacv1.Role
		err := decoder.Decode(&role)
		if errors.Is(err, io.EOF) {
			return roles
		}
		if err != nil {
			t.Fatal(err)
		}
		if role.Kind == "Role" {
			roles = append(roles, role)
		}
	}
}

// The roles for whole ConfigMaps are enough to make, change and destroy one, and all that the others need is in them.
func TestGuideRolesForConfigMaps(t *testing.T) {
	t.Parallel()
	for file, body := range map[string]string{
		"rbac/configmap.yaml":     "resource \"cas_configmap\" \"it\" {\n  namespace = NAMESPACE\n  name = \"settings\"\n  labels = { a = LABEL }\n}\n",
		"rbac/generate_name.yaml": "resource \"cas_configmap\" \"it\" {\n  namespace = NAMESPACE\n  generate_name = \"release-\"\n  labels = { a = LABEL }\n}\n",
	} {
		t.Run(file, func(t *testing.T) {
			p := newCLIPipeline(t)
			roles := manifest(t, guideFile(t, file))
			if len(roles) != 1 {
				t.Fatalf("%d roles", len(roles))
			}
			p.kubeconfig = p.cluster.Kubeconfig(t, p.cluster.User(t, "user-"+p.namespace, p.namespace, roles[0].Rules...))
			for _, label := range []string{`"1"`, `"2"`} {
				p.planned(strings.ReplaceAll(body, "LABEL", label))
			}
			p.planNothing()
			p.destroy()
		})
	}
}

// One service account plans, and another one applies what it planned. The one that plans cannot.
func TestGuidePipelineOfTwoAccounts(t *testing.T) {
	t.Parallel()
	p := guidePipeline(t, "shop", "settings", data{"foo": "1"})
	var rules []rbacv1.PolicyRule
	for _, file := range []string{"rbac/plan.yaml", "rbac/apply.yaml"} {
		text := guideFile(t, file)
		p.cli.Write(path.Base(file), text)
		p.runs("kubectl apply --filename " + path.Base(file))
		for _, role := range manifest(t, text) {
			rules = append(rules, role.Rules...)
		}
	}
	if want := [][]string{{"get"}, {"get", "patch", "watch"}}; len(rules) != 2 || !cmp.Equal(want, [][]string{rules[0].Verbs, rules[1].Verbs}) {
		t.Fatalf("the rules are %v, want the verbs %v", rules, want)
	}
	p.cluster.User(t, "later-"+p.live("settings").ResourceVersion, p.namespace, rules...) // it waits until its own grant is known; theirs is known then too
	p.cli.Write("main.tf", terraformSource+guideFile(t, "rbac/main.tf"))
	p.cli.Env = append(p.cli.Env, "TF_VAR_host="+p.cluster.Config.Host,
		"TF_VAR_cluster_ca_certificate="+base64.StdEncoding.EncodeToString(p.cluster.Config.CAData))

	pipeline := guideFile(t, "rbac/pipeline.sh")
	planning := strings.ReplaceAll(pipeline, "create token terraform-apply", "create token terraform-plan")
	if planning == pipeline {
		t.Fatal("no token of terraform-apply")
	}
	out := p.fails(planning) // who plans cannot apply
	p.wants(testcli.Flat(out), "Error: Not Permitted", "permission to patch this ConfigMap", "system:serviceaccount:shop:terraform-plan")
	p.wantShown("rbac", out)
	p.wantLive("settings", data{"foo": "1"})
	p.runs(pipeline)
	p.wantLive("settings", data{"foo": "2"})

	saved, err := zip.OpenReader(filepath.Join(p.cli.Dir, "saved.tfplan"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = saved.Close() }()
	const algorithm = "eyJhbGciOi" // with which a token begins
	if token := p.runs("kubectl create token terraform-plan --namespace shop"); !strings.HasPrefix(token, algorithm) {
		t.Errorf("a token that begins otherwise: %.10s", token)
	}
	for _, file := range saved.File {
		content, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(content)
		if err != nil || bytes.Contains(text, []byte(algorithm)) {
			t.Errorf("%s of the saved plan holds a token (%v)", file.Name, err)
		}
	}
}
