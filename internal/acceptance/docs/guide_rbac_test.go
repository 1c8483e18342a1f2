package docs

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
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

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// guideRoles are the rows of the guide's table: the verbs that a plan and an apply need, by the resource and the
// operation.
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

// roleCase is one case of a row. The administrator has applied the resources that are in the state before.
type roleCase struct {
	before   fixture.Data
	applied  string
	settings string // of the provider
	body     string
	during   func(*fixture.Pipeline, *testcluster.Proxy) // set up before each apply
	anyName  bool                                        // the name is not known before
	secret   bool                                        // it is about a Secret, not a ConfigMap
}

func (c roleCase) plural() string {
	if c.secret {
		return "secrets"
	}
	return "configmaps"
}

var roleCases = map[string]map[string]roleCase{
	"`cas_configmap_entry`, `cas_configmap_data`, `cas_configmap_document`, made or changed": {
		"an entry, made":    {before: fixture.Data{"foo": "1"}, body: fixture.EntryBlock("it", `value = "2"`, `expected_value = "1"`)},
		"an entry, changed": {before: fixture.Data{}, applied: fixture.EntryBlock("it", `value = "1"`), body: fixture.EntryBlock("it", `value = "2"`)},
		"an entry, to be waited for, where there is nothing to wait for": {
			before: fixture.Data{"foo": "1"}, body: fixture.EntryBlock("it", `value = "2"`, `expected_value = "1"`, `conflict_scope = "key"`, `wait_for_match = "1m"`),
		},
		"data, made":       {before: fixture.Data{"foo": "1"}, body: fixture.DataBlock("it", `data = { foo = "2" }`, `expected_data = { foo = "1", bar = null }`)},
		"data, changed":    {before: fixture.Data{}, applied: fixture.DataBlock("it", `data = { foo = "1" }`), body: fixture.DataBlock("it", `data = { bar = "2" }`)},
		"an item, made":    {before: fixture.Data{"foo": "a: 1"}, body: itemBlock(2)},
		"an item, changed": {before: fixture.Data{"foo": "a: 1"}, applied: itemBlock(2), body: itemBlock(3)},
	},
	"`cas_configmap_entry`, `cas_configmap_data`, `cas_configmap_document`, removed": {
		"an entry":       {before: fixture.Data{}, applied: fixture.EntryBlock("it", `value = "1"`), body: ""},
		"data, restored": {before: fixture.Data{}, applied: fixture.DataBlock("it", `data = { foo = "1" }`, `deletion_policy = "restore"`), body: ""},
		"an item":        {before: fixture.Data{"foo": "a: 1"}, applied: itemBlock(2), body: ""},
	},
	"`cas_configmap_counter`, made or changed": {
		"made":    {before: fixture.Data{"foo": "7"}, body: fixture.CounterBlock("it")},
		"changed": {before: fixture.Data{"foo": "7"}, applied: fixture.CounterBlock("it"), body: fixture.CounterBlock("it", `triggers = { a = "b" }`)},
	},
	"`cas_configmap_allocation`, made or changed": {
		"made":    {before: fixture.Data{}, body: allocationBlock()},
		"changed": {before: fixture.Data{}, applied: allocationBlock(), body: allocationBlock(`claimant = "another"`)},
	},
	"`cas_configmap_allocation`, removed": {"": {before: fixture.Data{}, applied: allocationBlock(), body: ""}},
	"`wait_for_free`, where everything is taken": {
		"": {
			before: fixture.Data{"foo": `{"1": {}}`}, body: allocationBlock(`wait_for_free = "1m"`),
			during: func(p *fixture.Pipeline, proxy *testcluster.Proxy) {
				p.Set("testmap", "foo", `{"1": {}}`)
				p.OnWatches(proxy, func() testcluster.Fault { return fixture.Watched(func() { p.Set("testmap", "foo", "{}") }) })
			},
		},
	},
	"`cas_configmap`, made":                      {"": {body: fixture.WholeBlock("it", `data = { foo = "1" }`)}},
	"`cas_configmap`, made with `generate_name`": {"": {body: generatedBlock, anyName: true}},
	"`cas_configmap`, changed":                   {"": {applied: fixture.WholeBlock("it", `data = { foo = "1" }`), body: fixture.WholeBlock("it", `data = { foo = "2" }`)}},
	"`cas_configmap`, destroyed":                 {"": {applied: fixture.WholeBlock("it", `data = { foo = "1" }`), body: ""}},
	"the same, where all keys stay: with `deletion_policy = \"abandon\"`, or by `\"release\"`": {
		"an entry that was there": {before: fixture.Data{"foo": "1"}, applied: fixture.EntryBlock("it", `value = "1"`, "adopt_existing = true"), body: ""},
		"an entry":                {before: fixture.Data{}, applied: fixture.EntryBlock("it", `value = "1"`, `deletion_policy = "abandon"`), body: ""},
		"data":                    {before: fixture.Data{}, applied: fixture.DataBlock("it", `data = { foo = "1" }`, `deletion_policy = "abandon"`), body: ""},
	},
	"`cas_configmap_counter`, removed": {"": {before: fixture.Data{}, applied: fixture.CounterBlock("it"), body: ""}},
	"the data sources": {
		"an entry": {before: fixture.Data{"foo": "1"}, body: readingBlock("cas_configmap_entry", `key = "foo"`)},
		"all":      {before: fixture.Data{"foo": "1"}, body: readingBlock("cas_configmap")},
		"none":     {body: readingBlock("cas_configmap")},
	},
	"an import": {
		"an entry": {before: fixture.Data{"foo": "1"}, body: imported("cas_configmap_entry", "/foo") + fixture.EntryBlock("it", `value = "1"`)},
	},
	"`wait_for_match`, where there is something to wait for": {
		"": {
			before: fixture.Data{"foo": "0"}, body: fixture.EntryBlock("it", `value = "2"`, `expected_value = "1"`, `conflict_scope = "key"`, `wait_for_match = "1m"`),
			during: func(p *fixture.Pipeline, proxy *testcluster.Proxy) {
				p.Set("testmap", "foo", "0")
				p.OnWatches(proxy, func() testcluster.Fault { return fixture.Watched(func() { p.Set("testmap", "foo", "1") }) })
			},
		},
	},
	"`plan_dry_run` with `cas_configmap_entry`, `cas_configmap_data`, `cas_configmap_counter`, made or changed": {
		"an entry": {settings: rehearsing, before: fixture.Data{"foo": "1"}, body: fixture.EntryBlock("it", `value = "2"`, `expected_value = "1"`)},
		"data":     {settings: rehearsing, before: fixture.Data{"foo": "1"}, body: fixture.DataBlock("it", `data = { foo = "2" }`, `expected_data = { foo = "1" }`)},
		"a number": {settings: rehearsing, before: fixture.Data{"foo": "7"}, body: fixture.CounterBlock("it")},
	},
	"`plan_dry_run` with `cas_configmap_entry`, `cas_configmap_data`, removed": {
		"": {settings: rehearsing, before: fixture.Data{}, applied: fixture.EntryBlock("it", `value = "1"`), body: ""},
	},
	"`plan_dry_run` with `cas_configmap_allocation`, made or removed": {
		"made":    {settings: rehearsing, before: fixture.Data{}, body: allocationBlock()},
		"removed": {settings: rehearsing, before: fixture.Data{}, applied: allocationBlock(), body: ""},
	},
	"`plan_dry_run` with `cas_configmap`, made": {"": {settings: rehearsing, body: fixture.WholeBlock("it", `data = { foo = "1" }`)}},
	"`plan_dry_run` with `cas_configmap`, changed": {
		"": {settings: rehearsing, applied: fixture.WholeBlock("it", `data = { foo = "1" }`), body: fixture.WholeBlock("it", `data = { foo = "2" }`)},
	},
	"`plan_dry_run` with `cas_configmap`, destroyed": {"": {settings: rehearsing, applied: fixture.WholeBlock("it", `data = { foo = "1" }`), body: ""}},
}

const rehearsing = "plan_dry_run = true"

const generatedBlock = "resource \"cas_configmap\" \"it\" {\n  namespace = NAMESPACE\n  generate_name = \"testmap-\"\n}\n"

// itemBlock is a resource of one item of a document in the key foo of testmap.
func itemBlock(value int) string {
	return fixture.BlockOf("cas_configmap_document", "it", []string{`format = "yaml"`, fmt.Sprintf("fields = { b = %d }", value)})
}

// readingBlock is a data source of testmap, and an output, for there to be a change.
func readingBlock(kind string, lines ...string) string {
	return "data \"" + kind + "\" \"it\" {\n  namespace = NAMESPACE\n  name = \"testmap\"\n" + strings.Join(lines, "\n") + "\n}\n" +
		"output \"exists\" {\n  value = data." + kind + ".it.exists\n}\n"
}

func imported(kind, rest string) string {
	return "import {\n  to = " + kind + ".it\n  id = \"${NAMESPACE}/testmap" + rest + "\"\n}\n"
}

// verbs returns the verbs by which RBAC knows the requests, each once. It fails the test for a request that was
// refused, and for a request about anything but such objects of the namespace.
func verbs(p *fixture.Pipeline, plural string, requests []testcluster.Request) []string {
	p.Helper()
	found := map[string]bool{}
	all := "/api/v1/namespaces/" + p.Namespace + "/" + plural
	for _, r := range requests {
		named := path.Dir(r.Path) == all
		switch {
		case r.Status == http.StatusForbidden:
			p.Errorf("%s was refused", r)
		case r.Method == http.MethodGet && named:
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
func as(p *fixture.Pipeline, c roleCase, user string, verbs []string) *testcluster.Proxy {
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
	proxy := p.Cluster.ProxyFor(p, p.Cluster.User(p, user+"-"+p.Namespace, p.Namespace, rules...))
	p.LeadTo(proxy.Config)
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
	p := fixture.NewCLIPipeline(t)
	kind := "ConfigMap"
	switch {
	case c.secret:
		kind = "Secret"
		if c.before != nil {
			p.CreateSecret("testmap", c.before)
		}
	case c.before != nil:
		p.Create("testmap", c.before)
	}
	if c.applied != "" {
		p.Planned(c.applied)
	}
	p.WriteFor(p.Kubeconfig, c.settings, c.body)
	without := func(verbs []string, verb string) []string {
		return slices.DeleteFunc(slices.Clone(verbs), func(v string) bool { return v == verb })
	}
	refusal := func(verb string) []string {
		return []string{"Error: Not Permitted", "permission to " + verb + " this " + kind, kind + ": " + p.Namespace + "/testmap"}
	}
	for _, verb := range toPlan {
		as(p, c, "no-"+verb+"-to-plan", without(toPlan, verb))
		p.PlanRefused(refusal(verb))
	}
	for _, verb := range toApply {
		as(p, c, "before-no-"+verb, toPlan)
		p.Plan()
		rest := without(toApply, verb)
		if len(rest) == 0 && verb != "get" {
			rest = []string{"get"} // with nothing at all, what is refused first is to look
		}
		proxy := as(p, c, "no-"+verb, rest)
		if c.during != nil {
			c.during(p, proxy)
		}
		p.ApplyRefused(refusal(verb)...)
	}
	planner := as(p, c, "planner", toPlan)
	p.Plan()
	applier := as(p, c, "applier", toApply)
	if c.during != nil {
		c.during(p, applier)
	}
	p.Apply()
	for what, got := range map[string][2][]string{
		"plan": {toPlan, verbs(p, c.plural(), planner.Requests())}, "apply": {toApply, verbs(p, c.plural(), applier.Requests())},
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
	entry, several := func(lines ...string) string { return of(fixture.SecretEntry(lines...)) }, func(lines ...string) string { return of(fixture.SecretData(lines...)) }
	whole := func(lines ...string) string { return of(fixture.SecretBlock(lines...)) }
	const getOnly, getPatch, getCreate, getDelete = "get", "get, patch", "get, create", "get, delete"
	for name, test := range map[string]struct {
		roleCase
		plan, apply string
	}{
		"an entry, made":      {roleCase{before: fixture.Data{}, body: entry(`value_wo = "1"`)}, getOnly, getPatch},
		"an entry, changed":   {roleCase{before: fixture.Data{}, applied: entry(`value_wo = "1"`), body: entry(`value_wo = "2"`, `value_wo_version = 2`)}, getOnly, getPatch},
		"an entry, removed":   {roleCase{before: fixture.Data{}, applied: entry(`value_wo = "1"`)}, getOnly, getPatch},
		"data, made":          {roleCase{before: fixture.Data{}, body: several(`data_wo = { a = "1" }`)}, getOnly, getPatch},
		"data, changed":       {roleCase{before: fixture.Data{}, applied: several(`data_wo = { a = "1" }`), body: several(`data_wo = { b = "1" }`)}, getOnly, getPatch},
		"data, removed":       {roleCase{before: fixture.Data{}, applied: several(`data_wo = { a = "1" }`)}, getOnly, getPatch},
		"a Secret, made":      {roleCase{body: whole(`data_wo = { a = "1" }`)}, getOnly, getCreate},
		"a Secret, changed":   {roleCase{applied: whole(`data_wo = { a = "1" }`), body: whole(`data_wo = { a = "2" }`, `data_wo_version = 2`)}, getOnly, getPatch},
		"a Secret, destroyed": {roleCase{applied: whole(`data_wo = { a = "1" }`)}, getOnly, getDelete},
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
			p := fixture.NewCLIPipeline(t)
			roles := manifest(t, guideFile(t, file))
			if len(roles) != 1 {
				t.Fatalf("%d roles", len(roles))
			}
			p.Kubeconfig = p.Cluster.Kubeconfig(t, p.Cluster.User(t, "user-"+p.Namespace, p.Namespace, roles[0].Rules...))
			for _, label := range []string{`"1"`, `"2"`} {
				p.Planned(strings.ReplaceAll(body, "LABEL", label))
			}
			p.PlanNothing()
			p.Destroy()
		})
	}
}

// One service account plans, and another one applies what it planned. The one that plans cannot.
func TestGuidePipelineOfTwoAccounts(t *testing.T) {
	t.Parallel()
	p := guidePipeline(t, "shop", "settings", fixture.Data{"foo": "1"})
	var rules []rbacv1.PolicyRule
	for _, file := range []string{"rbac/plan.yaml", "rbac/apply.yaml"} {
		text := guideFile(t, file)
		p.CLI.Write(path.Base(file), text)
		runs(p, "kubectl apply --filename "+path.Base(file))
		for _, role := range manifest(t, text) {
			rules = append(rules, role.Rules...)
		}
	}
	if want := [][]string{{"get"}, {"get", "patch"}}; len(rules) != 2 || !cmp.Equal(want, [][]string{rules[0].Verbs, rules[1].Verbs}) {
		t.Fatalf("the rules are %v, want the verbs %v", rules, want)
	}
	p.Cluster.User(t, "later-"+p.Live("settings").ResourceVersion, p.Namespace, rules...) // it waits until its own grant is known; the grants of the accounts are known then too
	p.CLI.Write("main.tf", fixture.TerraformSource+guideFile(t, "rbac/main.tf"))
	p.CLI.Env = append(p.CLI.Env, "TF_VAR_host="+p.Cluster.Config.Host,
		"TF_VAR_cluster_ca_certificate="+base64.StdEncoding.EncodeToString(p.Cluster.Config.CAData))

	pipeline := guideFile(t, "rbac/pipeline.sh")
	planning := strings.ReplaceAll(pipeline, "create token terraform-apply", "create token terraform-plan")
	if planning == pipeline {
		t.Fatal("no token of terraform-apply")
	}
	out := fails(p, planning) // who plans cannot apply
	p.Wants(testcli.Flat(out), "Error: Not Permitted", "permission to patch this ConfigMap", "system:serviceaccount:shop:terraform-plan")
	wantShown(p, "rbac", out)
	p.WantLive("settings", fixture.Data{"foo": "1"})
	runs(p, pipeline)
	p.WantLive("settings", fixture.Data{"foo": "2"})

	saved, err := zip.OpenReader(filepath.Join(p.CLI.Dir, "saved.tfplan"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = saved.Close() }()
	const algorithm = "eyJhbGciOi" // with which a token begins
	if token := runs(p, "kubectl create token terraform-plan --namespace shop"); !strings.HasPrefix(token, algorithm) {
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
