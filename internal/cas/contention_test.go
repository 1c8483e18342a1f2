package cas

import (
	"fmt"
	"sync"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

func TestKeysOfBusyObjectNeverConflict(t *testing.T) {
	const processes, each = 8, 50
	data := map[string]string{}
	for p := range processes {
		data[fmt.Sprintf("p%d", p)] = "0"
	}
	f := newFixture(t, data)
	var wg sync.WaitGroup
	for p := range processes {
		e := f.newEngine(f.proxy.Config) // a writer of its own
		wg.Go(func() {
			for n := range each {
				_, err := e.Swap(t.Context(), f.swapping(fmt.Sprintf("p%d", p), eval.Text(fmt.Sprint(n)), eval.Text(fmt.Sprint(n+1))))
				f.want(eval.Applied, err)
			}
		})
	}
	wg.Wait()
	for key := range data {
		data[key] = fmt.Sprint(each)
	}
	f.wantData(data)
	requests := float64(f.proxy.Count()) / (processes * each)
	t.Logf("%d processes: %.2f requests a write", processes, requests)
}
