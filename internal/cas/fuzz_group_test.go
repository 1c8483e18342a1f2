package cas

import (
	"maps"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/judgingtest"
)

// step is one state of an object in a history, with the managers that wrote it.
func step(entries map[string]Entry, managers map[string]int) *Observation {
	cm := judgingtest.ConfigMapOf(entries)
	for _, name := range []string{"engine", "foreign"} {
		if second, wrote := managers[name]; wrote {
			cm.ManagedFields = append(cm.ManagedFields, metav1.ManagedFieldsEntry{
				Manager: name, Operation: metav1.ManagedFieldsOperationUpdate, Time: new(metav1.NewTime(time.Unix(int64(second), 0))),
			})
		}
	}
	return judging.Observed(cm, time.Now())
}

// FuzzGroup has a group of swaps, and a foreign write, come after some state of an object, and asks of each whether it was
// the group's.
func FuzzGroup(f *testing.F) {
	judgingtest.Seeds(f, 2000)
	keys := []string{"a", "b", "c", "d"}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		c := judgingtest.Choices(bytes)
		was := c.Entries(keys...)
		managers := map[string]int{}
		for _, name := range []string{"engine", "foreign"} {
			if c.Coin() {
				managers[name] = 1
			}
		}
		before := step(was, managers)
		seen, blind, judged := &batch{from: before}, &batch{digest: judging.Digest(was)}, &batch{digest: judging.Digest(was), since: "0"}
		ours := maps.Clone(was)
		for _, key := range keys {
			to := c.Entry()
			if c.Pick(3) == 0 || to == was[key] {
				continue
			}
			task := txnTask(t, (&Swap{Key: key, New: to, FieldManager: "engine"}).Txn())
			for _, g := range []*batch{seen, blind, judged} {
				changes := []judging.Change{{Key: key, From: was[key], To: to}}
				if !g.fits(task, changes) {
					t.Fatalf("%s does not fit", key)
				}
				g.add(task, changes)
			}
			delete(ours, key)
			if !to.IsAbsent() {
				ours[key] = to
			}
		}
		if len(seen.tasks) == 0 {
			return
		}
		wrote := func(name string) map[string]int {
			after := maps.Clone(managers)
			after[name] = 1 + c.Pick(2) // within the same second, now and then
			return after
		}

		made := step(ours, wrote("engine"))
		if seen.made(before, made) != yes || blind.made(nil, made) != yes || judged.made(nil, made) != yes {
			t.Errorf("what the group makes of %v is not told for its own", was)
		}
		unknown := batch{changes: blind.changes, tasks: blind.tasks}
		if unknown.made(nil, made) != yes {
			t.Errorf("what the group makes of what nobody knows is not told for its own")
		}

		// Whatever differs from it is not known to be ours.
		other := maps.Clone(ours)
		key := append(keys, "e")[c.Pick(len(keys)+1)]
		delete(other, key)
		if e := c.Entry(); !e.IsAbsent() {
			other[key] = e
		}
		if maps.Equal(other, ours) || maps.Equal(other, was) {
			return
		}
		who := []string{"engine", "foreign"}[c.Pick(2)]
		foreign := step(other, wrote(who))
		if seen.made(before, foreign) == yes || blind.made(nil, foreign) == yes || judged.made(nil, foreign) == yes {
			t.Errorf("%v after %v is told for the group's, which makes %v", other, was, ours)
		}
		// If it was ours, as admission changed it, that must not be denied where what we were to change was changed.
		touched := false
		for _, c := range seen.changes {
			touched = touched || other[c.Key] != c.From
		}
		if who == "engine" && touched && (seen.made(before, foreign) == no || judged.made(nil, foreign) == no) {
			t.Errorf("%v after %v may be what admission made of %v", other, was, ours)
		}
		// After it, ours could not have been made where it changed a key of ours.
		changed := false
		for _, c := range seen.changes {
			changed = changed || other[c.Key] != c.From
		}
		if later := step(ours, wrote("engine")); changed && seen.made(foreign, later) != no {
			t.Errorf("%v after %v is told for the group's, whose keys were not what they had to be", ours, other)
		}
	})
}

// FuzzGroupFits puts swaps of any size into a group until one does not fit.
func FuzzGroupFits(f *testing.F) {
	judgingtest.Seeds(f, 200)
	f.Fuzz(func(t *testing.T, bytes []byte) {
		c := judgingtest.Choices(bytes)
		sizes := []int{0, 1, MaxSize / 4, MaxSize / 2, MaxSize}
		from := judging.Observed(judgingtest.ConfigMapOf(map[string]Entry{"others": Binary(judgingtest.Filler(c.Pick(256) * MaxSize / 255))}), time.Now())
		g := &batch{from: from}
		if c.Coin() {
			g.from = nil // blind: removals, and what is put back
		}
		least, size, managers := maxTasks, from.Size(), map[string]bool{}
		for n := 0; c.More(); n++ {
			s := &Swap{Key: string(rune('a' + n)), New: Binary(judgingtest.Filler(sizes[c.Pick(len(sizes))])), FieldManager: []string{"x", "x", "x", "y"}[c.Pick(4)]}
			live := Binary(judgingtest.Filler(min(size, sizes[c.Pick(len(sizes))])))
			task := txnTask(t, s.Txn())
			changes := []judging.Change{{Key: s.Key, From: live, To: s.New}}
			task.most = 1 + c.Pick(5)
			room := len(g.tasks) < min(least, task.most) && (g.from == nil || size+s.New.Size()-live.Size() <= MaxSize) &&
				(managers[s.FieldManager] || len(managers) == 0)
			if fits := g.fits(task, changes); fits != (len(g.tasks) == 0 || room) {
				t.Fatalf("task %d fits: %t", n, fits)
			} else if !fits {
				continue
			}
			g.add(task, changes)
			least, size = min(least, task.most), size+s.New.Size()-live.Size()
			managers[s.FieldManager] = true
		}
		if len(g.tasks) > 1 && (len(managers) > 1 || len(g.tasks) > least || g.from != nil && size > MaxSize) {
			t.Errorf("%d tasks of %d at most, by %v, %d bytes", len(g.tasks), least, managers, size)
		}
	})
}
