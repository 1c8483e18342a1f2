// Package allocation has the tests of cas_configmap_allocation and of data "cas_configmap_allocations".
//
// It knows the protocol, HCL and ConfigMaps, and nothing inside the provider.
package allocation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestMain(m *testing.M) { fixture.Main(m) }

const (
	ofFive = `numbers = { from = 30000, to = 30004 }`
	web    = `claimant = "shop/web"`
)

// block is an allocation of key foo in the ConfigMap testmap.
func block(label string, lines ...string) string {
	return fixture.BlockOf("cas_configmap_allocation", label, lines)
}

// several are allocations with one configuration.
func several(n int, lines ...string) string {
	return block("a", append([]string{fmt.Sprintf("count = %d", n), `claimant = "team-${count.index}"`}, lines...)...)
}

// member is the readable part of an allocation in the pool.
type member map[string]any

// pool is the content of foo, as a reader of the documentation would read it.
func pool(p *fixture.Fixture) map[string]member {
	p.Helper()
	all := map[string]member{}
	if text, ok := p.Live("testmap").Data["foo"]; ok {
		if err := json.Unmarshal([]byte(text), &all); err != nil {
			p.Fatalf("%v:\n%s", err, text)
		}
	}
	return all
}

// wantTaken fails the test unless the pool has just these values.
func wantTaken(p *fixture.Fixture, values ...string) map[string]member {
	p.Helper()
	all := pool(p)
	got := []string{}
	for value := range all {
		got = append(got, value)
	}
	slices.Sort(got)
	slices.Sort(values)
	if !slices.Equal(got, values) {
		p.Errorf("taken are %v, want %v", got, values)
	}
	return all
}

// values returns the values in the state, in order. The pool must have each value with the state's id.
func values(p *fixture.Pipeline) (all []string) {
	p.Helper()
	members := pool(p.Fixture)
	for name, each := range p.State() {
		value, isText := each.Attributes["value"].(string)
		if m := members[value]; !isText || m["id"] != each.Attributes["id"] || m["id"] == "" {
			p.Errorf("%s has %v of id %v, and the pool says %v", name, value, each.Attributes["id"], m)
		}
		all = append(all, value)
	}
	slices.Sort(all)
	return all
}

func wantValues(p *fixture.Pipeline, want ...string) {
	p.Helper()
	if got := values(p); !slices.Equal(got, want) {
		p.Errorf("the state has %v, want %v", got, want)
	}
}

// hand is a pool that somebody wrote by hand.
func hand(values ...string) fixture.Data {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = fmt.Sprintf("%q: {\"claimant\": \"hand\"}", v)
	}
	return fixture.Data{"foo": "{" + strings.Join(all, ", ") + "}"}
}
