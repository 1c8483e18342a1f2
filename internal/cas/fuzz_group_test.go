package cas

import (
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/evaltest"
)

// FuzzGroupFits puts swaps of any size into a group until one does not fit.
func FuzzGroupFits(f *testing.F) {
	evaltest.Seeds(f, 200)
	f.Fuzz(func(t *testing.T, bytes []byte) {
		c := evaltest.Choices(bytes)
		sizes := []int{0, 1, eval.MaxSize / 4, eval.MaxSize / 2, eval.MaxSize}
		from := eval.NewSnapshot(evaltest.ConfigMapOf(map[string]eval.Value{"others": eval.Binary(evaltest.Filler(c.Pick(256) * eval.MaxSize / 255))}), time.Now())
		g := &request{base: from, limit: maxTasks}
		least, size, managers := maxTasks, from.Size(), map[string]bool{}
		for n := 0; c.More(); n++ {
			s := &Swap{Key: string(rune('a' + n)), New: eval.Binary(evaltest.Filler(sizes[c.Pick(len(sizes))])), FieldManager: []string{"x", "x", "x", "y"}[c.Pick(4)]}
			live := eval.Binary(evaltest.Filler(min(size, sizes[c.Pick(len(sizes))])))
			task := txnTask(t, s.Txn())
			changes := []eval.Change{{Key: s.Key, From: live, To: s.New}}
			task.maxBatch = 1 + c.Pick(5)
			room := len(g.tasks) < min(least, task.maxBatch) && size+s.New.Size()-live.Size() <= eval.MaxSize &&
				(managers[s.FieldManager] || len(managers) == 0)
			if fits := g.fits(task, changes); fits != (len(g.tasks) == 0 || room) {
				t.Fatalf("task %d fits: %t", n, fits)
			} else if !fits {
				continue
			}
			g.add(task, changes)
			least, size = min(least, task.maxBatch), size+s.New.Size()-live.Size()
			managers[s.FieldManager] = true
		}
		if len(g.tasks) > 1 && (len(managers) > 1 || len(g.tasks) > least || size > eval.MaxSize) {
			t.Errorf("%d tasks of %d at most, by %v, %d bytes", len(g.tasks), least, managers, size)
		}
	})
}
