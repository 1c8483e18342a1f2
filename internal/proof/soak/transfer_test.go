package soak

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster/controlplane"
)

// purse is the value of a key, as JSON. A transfer is two swaps, and in between its units are in transit: a process's last
// transfer out of any key has a number that no key has received from it.
type purse struct {
	Units    int            `json:"units"`
	Sent     map[string]leg `json:"sent"`     // by process
	Received map[string]int `json:"received"` // number, by process
	Writer   string         `json:"writer"`   // and which of its writes: no value ever comes back
}

type leg struct {
	Number int `json:"number"`
	Units  int `json:"units"`
}

func (p purse) entry() eval.Value {
	text, err := json.Marshal(p)
	if err != nil {
		panic(err) // numbers and strings
	}
	return eval.Text(string(text))
}

func purseOf(e eval.Value) (p purse, err error) {
	text, _ := asText(e).Text()
	err = json.Unmarshal([]byte(text), &p)
	return p, err
}

// engineMover moves units from key to key, one transfer at a time.
type engineMover struct {
	*worker
	engine *cas.Engine
	writes int
}

func (m *engineMover) loop(_ int, draw *rand.Rand) {
	for number := 1; m.stop.Err() == nil; number++ {
		from, to, units := draw.IntN(len(m.Keys)), 1+draw.IntN(len(m.Keys)-1), 1+draw.IntN(9)
		sent := m.edit(draw, m.Keys[from],
			func(p *purse) bool {
				p.Sent[m.Name] = leg{number, units}
				p.Units -= units
				return p.Units >= 0
			},
			func(p *purse) bool { return p.Sent[m.Name].Number == number })
		if !sent {
			continue
		}
		m.edit(draw, m.Keys[(from+to)%len(m.Keys)],
			func(p *purse) bool {
				p.Received[m.Name] = number
				p.Units += units
				return true
			},
			func(p *purse) bool { return p.Received[m.Name] == number })
	}
}

// edit changes what a key holds, by swaps, until one is applied, and reports whether change allowed it. Verdicts are taken at their
// word: after a conflict or a rejection nothing was written. Only after an unknown one it looks whether that is done; where the key
// still holds what the unknown swap expects, the next swap expects the same, and at most one of the two can land.
func (m *engineMover) edit(draw *rand.Rand, key string, change, done func(*purse) bool) bool {
	inDoubt := false
	for ; ; m.pause() {
		ctx, cancel := context.WithTimeout(context.Background(), m.Deadline)
		live, err := m.engine.Observe(ctx, m.ref(m.ConfigMaps[0]), "", 0)
		cancel()
		if err != nil {
			continue
		}
		p, err := purseOf(live.Value(key))
		if err != nil {
			panic(err) // only purses are written
		}
		if inDoubt && done(&p) {
			return true
		}
		if p.Sent == nil {
			p.Sent = map[string]leg{}
		}
		if p.Received == nil {
			p.Received = map[string]int{}
		}
		if !change(&p) {
			return false
		}
		m.writes++
		p.Writer = fmt.Sprint(m.Name, "/", m.writes)
		o := &op{Kind: swapOp, ConfigMap: m.ConfigMaps[0], Key: key, Expect: live.Value(key), New: p.entry()}
		if draw.IntN(4) == 0 {
			o.At = []eval.Version{live.Version()}
		}
		switch m.swap(o) {
		case eval.Applied:
			return true
		case eval.Unknown:
			inDoubt = true
		case eval.Conflict, eval.Rejected:
		}
	}
}

func (m *engineMover) swap(o *op) eval.Verdict {
	ctx, cancel := context.WithTimeout(context.Background(), m.Deadline)
	defer cancel()
	m.begin(o)
	result, err := m.engine.Commit(ctx, &eval.Txn{
		Ref: m.ref(m.ConfigMaps[0]), Keys: []eval.KeySwap{{Key: o.Key, Expect: o.Expect, New: o.New}}, RequireVersions: o.At, FieldManager: m.Name,
	})
	o.take(result, err)
	m.end(o)
	return o.Verdict
}

// total is the units that all keys hold and those in transit.
func total(entries map[string]eval.Value) (units, inTransit int, err error) {
	sent, received := map[string]leg{}, map[string]int{}
	for key, e := range entries {
		p, err := purseOf(e)
		if err != nil || p.Units < 0 {
			return 0, 0, fmt.Errorf("key %s holds %s (%w)", key, show(e), err)
		}
		units += p.Units
		for who, l := range p.Sent {
			if l.Number > sent[who].Number {
				sent[who] = l
			}
		}
		for who, number := range p.Received {
			received[who] = max(received[who], number)
		}
	}
	for who, l := range sent {
		if l.Number > received[who] {
			inTransit += l.Units
		}
	}
	return units + inTransit, inTransit, nil
}

func testConservedSum(t *testing.T, c *controlplane.Cluster) {
	t.Helper()
	const movers, each = 8, 100
	purses, initial := []string{"a", "b", "c", "d", "e", "f"}, map[string]string{}
	for _, key := range purses {
		initial[key], _ = purse{Units: each}.entry().Text()
	}
	moving, versions := 0, 0
	f := newField(t, c, []string{"purses"}, purses, initial, func(configMap string, s state) {
		if configMap != "purses" {
			return
		}
		versions++
		units, inTransit, err := total(s.entries)
		if units != each*len(purses) {
			t.Errorf("version %s: %d units, want %d (%v)", s.version.ResourceVersion, units, each*len(purses), err)
		}
		if inTransit > 0 {
			moving++
		}
	})
	for i := range movers {
		config := f.http.Config
		if i%2 == 0 {
			config = f.tcp.Config
		}
		f.start(plan{Role: mover, Goroutines: 1}, config)
	}
	strikes := []func(*field){
		struck(20, dropAfter), struck(10, overload), spoilt(cut), killedEtcd, killedWorker, struck(20, dropBefore), refused, killedAPIServer,
	}
	if *duration == 0 {
		strikes = strikes[:5] // a kube-apiserver takes its time to start
	}
	rounds := 0
	for begun := time.Now(); rounds == 0 || again(begun); rounds++ {
		for _, strike := range strikes {
			f.answers(breath / 2)
			strike(f)
		}
	}
	f.finish()
	f.check(false, rounds)
	f.Logf("%d units at each of %d versions, some in transit at %d of them", each*len(purses), versions, moving)
	if moving == 0 {
		t.Error("nothing was moved")
	}
}

// A sum that is not conserved must show.
func TestTotal(t *testing.T) {
	t.Parallel()
	sent := purse{Units: 7, Sent: map[string]leg{"p": {Number: 2, Units: 3}}, Received: map[string]int{"p": 1}}
	received := purse{Units: 13, Received: map[string]int{"p": 2}}
	tests := map[string]struct {
		from, to         purse
		units, inTransit int
	}{
		"before":        {purse{Units: 10}, purse{Units: 10}, 20, 0},
		"in transit":    {sent, purse{Units: 10}, 20, 3},
		"received":      {sent, received, 20, 0},
		"sent for free": {purse{Units: 10, Sent: sent.Sent}, purse{Units: 10}, 23, 3},
		"lost credit":   {sent, purse{Units: 10, Received: received.Received}, 17, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			units, inTransit, err := total(maps.Collect(maps.All(map[string]eval.Value{"a": test.from.entry(), "b": test.to.entry()})))
			if err != nil || units != test.units || inTransit != test.inTransit {
				t.Errorf("%d units, %d in transit (%v), want %d and %d", units, inTransit, err, test.units, test.inTransit)
			}
		})
	}
	if _, _, err := total(map[string]eval.Value{"a": purse{Units: -1}.entry()}); err == nil || !strings.Contains(err.Error(), "key a") {
		t.Errorf("a purse that owes: %v", err)
	}
}
