package histories

import (
	"net/http"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Steps that random histories found.

// Given a plan that adds a key to a whole Secret, and another who adds the same key with the same value before the apply; then the apply is a
// conflict, and says so once.
func TestHistoryOfASecretThatAnotherCompletes(t *testing.T) {
	t.Parallel()
	fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
		p.Applied(fixture.SecretBlock(`data_wo = {}`, `data_wo_version = 1`))
		p.Write(fixture.SecretBlock(`data_wo = { password = "2" }`, `data_wo_version = 1`))
		p.Plan()
		p.Rotated("2")
		p.ApplyRefused("Error: Compare-And-Swap Conflict", "!Warning: ")
	})
}

// Given a whole Secret, and a key of another writer that the configuration begins to name with the same version of the values.
// Then the apply leaves the value of the key, and the next plan does not warn again.
func TestHistoryOfAKeyOfOthersThatASecretTakesOver(t *testing.T) {
	t.Parallel()
	fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
		p.Applied(fixture.SecretBlock(`data_wo = { foo = "1" }`, `data_wo_version = 1`))
		p.Write(fixture.SecretBlock(`data_wo = { bar = "2" }`, `data_wo_version = 1`))
		p.RotatedKey("bar", "9")
		p.Wants(p.Plan(), "Warning: Value Changed Since Last Apply: bar")
		p.Apply()
		p.WantSecret("database", fixture.Data{"bar": "9"})
		p.Wants(p.PlanNothing(), "!Warning: Value Changed")
	})
}

// Given a number whose response is lost, and an entry of the same ConfigMap after it; then the counter takes the next
// number, and the entry is created.
func TestHistoryOfANumberWhoseResponseIsLost(t *testing.T) {
	p := fixture.NewPipelineOf(t, driver.Terraform116)
	p.Create("testmap", fixture.Data{"foo": "5"})
	proxy := p.Proxied()
	p.Write(fixture.CounterBlock("n") + fixture.EntryBlock("after", `key = "after"`, `value = "1"`, `depends_on = [cas_configmap_counter.n]`))
	p.Plan()
	proxy.SetHook(fixture.OnceFor(t, http.MethodPatch, testcluster.Fault{DropAfter: true}))
	p.Apply()
	p.WantLive("testmap", fixture.Data{"foo": "7", "after": "1"})
}

// Given a planned removal of one key whose response is lost, and an update of another key of the same object in the
// same run; then the key is removed. The update conflicts with the version that its plan saw, and the next run makes
// it.
func TestHistoryOfARemovalWhoseResponseIsLost(t *testing.T) {
	t.Parallel()
	lost := func(p *fixture.Pipeline, both, after string) {
		p.Helper()
		proxy := p.Proxied()
		p.Applied(both)
		p.Write(after)
		p.Plan()
		proxy.SetHook(fixture.OnceFor(p.T, http.MethodPatch, testcluster.Fault{DropAfter: true}))
	}
	t.Run("of a ConfigMap", func(t *testing.T) {
		fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
			p.Create("testmap", fixture.Data{"other": "kept"})
			gone := fixture.EntryBlock("gone", `key = "gone"`, `value = "1"`, `depends_on = [cas_configmap_data.it]`)
			lost(p, gone+fixture.DataBlock("it", `data = { foo = "1" }`), fixture.DataBlock("it", `data = { foo = "2" }`))
			p.ApplyRefused("Error: Compare-And-Swap Conflict", "with cas_configmap_data.it")
			p.WantLive("testmap", fixture.Data{"other": "kept", "foo": "1"})
			p.PlanApply()
			p.WantLive("testmap", fixture.Data{"other": "kept", "foo": "2"})
		})
	})
	t.Run("of a Secret", func(t *testing.T) {
		fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
			p.CreateSecret("database", fixture.Data{"other": "kept"})
			gone := fixture.SecretEntry(`key = "gone"`, `value_wo = "1"`, `value_wo_version = 1`, `depends_on = [cas_secret_data.it]`)
			lost(p, gone+fixture.SecretData(`data_wo = { foo = "1" }`, `data_wo_version = 1`),
				fixture.SecretData(`data_wo = { foo = "2" }`, `data_wo_version = 2`))
			p.ApplyRefused("Error: Compare-And-Swap Conflict", "with cas_secret_data.it")
			p.WantSecret("database", fixture.Data{"other": "kept", "foo": "1"})
			p.PlanApply()
			p.WantSecret("database", fixture.Data{"other": "kept", "foo": "2"})
		})
	})
}

// The outcomes that the model allows for a lost response.
func TestModelOfALostResponse(t *testing.T) {
	t.Parallel()
	const applied, unknown, again = "", titleUnknown, "again"
	for name, c := range map[string]struct {
		cm       string // "a": a ConfigMap, "s": a Secret, "w": an object with fields
		changes  map[string]string
		kind     string
		other    string // the key that another writer sets to 9
		removes  bool
		outcome  string
		isEither bool // or unknown
		leads    bool // the chain goes on
	}{
		"applied":                                      {cm: "a", changes: map[string]string{"foo": "2"}, kind: "lose after", leads: true},
		"applied, of a field":                          {cm: "w", changes: map[string]string{"foo": "2"}, kind: "lose after", isEither: true},
		"applied, then another key":                    {cm: "s", changes: map[string]string{"foo": "2"}, kind: "lose after", other: "bar", isEither: true},
		"applied, then overwritten":                    {cm: "a", changes: map[string]string{"foo": "2"}, kind: "lose after", other: "foo", outcome: unknown},
		"not applied":                                  {cm: "a", changes: map[string]string{"foo": "2"}, kind: "lose before", leads: true},
		"not applied, after another key":               {cm: "a", changes: map[string]string{"foo": "2"}, kind: "lose before", other: "bar", outcome: unknown},
		"not applied, after the same value":            {cm: "a", changes: map[string]string{"foo": "9"}, kind: "lose before", other: "foo", outcome: unknown},
		"a key removed by an update":                   {cm: "a", changes: map[string]string{"foo": ""}, kind: "lose after", outcome: unknown},
		"a key removed by a destroy":                   {cm: "s", changes: map[string]string{"foo": ""}, kind: "lose after", removes: true},
		"not removed by a destroy, after another":      {cm: "s", changes: map[string]string{"foo": ""}, kind: "lose before", other: "bar", removes: true, outcome: unknown},
		"removed by a destroy, and written by another": {cm: "s", changes: map[string]string{"foo": ""}, kind: "lose after", other: "foo", removes: true, outcome: unknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := version{1, 2}
			for _, isUnknown := range []bool{false, true} {
				m := &model{live: map[string]*liveMap{c.cm: {base, map[string]string{"foo": "1", "bar": "1"}}}, bound: map[int]string{}, last: 2}
				f := fault{kind: c.kind, at: 1, other: c.other != "", key: c.other, value: "9", isUnknown: isUnknown}
				p := &process{model: m, chains: map[string][]int{}, fault: f}
				w := write{cm: c.cm, base: base, data: c.changes}
				if c.removes {
					w.isDone = func(now *liveMap) bool { return isRemoved(now, nil, []rule{{key: "foo", want: "1"}}) }
				}
				isAgain, title := p.send(w)
				if isAgain {
					title = again
				}
				want := c.outcome
				if c.isEither && isUnknown {
					want = unknown
				}
				if title != want || p.isEither != c.isEither || title == applied && p.leads(c.cm, base) != c.leads {
					t.Errorf("ends as %q, want %q; either: %t; the chain goes on: %t", title, want, p.isEither, p.leads(c.cm, base))
				}
			}
		})
	}
}
