package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// engineRow has the measurements of one writer for the swaps of one cell, in each round.
type engineRow struct {
	Place    string
	Shape    string
	KiB      int // of each ConfigMap
	Swaps    int
	Parallel int
	Writer   string
	Capped   bool // time ran out: not all swaps of each round were made
	Done     []int
	Seconds  []float64
	Requests []int64
	Bytes    []int64
}

// target is a key to write, and what it holds.
type target struct {
	ref   eval.Ref
	key   string
	value int
}

// benchEngine measures the engine beside what one would write with client-go.
func benchEngine(ctx context.Context, s *stage) ([]engineRow, error) {
	namespace, err := s.namespace(ctx)
	if err != nil {
		return nil, err
	}
	var rows []engineRow
	for _, kib := range s.kib {
		for _, shape := range []string{oneMap, manyMaps} {
			for _, swaps := range s.swaps {
				if swaps == 1 && shape == manyMaps {
					continue // the same as one of one
				}
				targets, remove, err := s.targets(ctx, namespace, shape, swaps, kib)
				if err != nil {
					return nil, err
				}
				for _, parallel := range s.parallel {
					if parallel > max(swaps, s.parallel[0]) {
						continue // the same as all at a time
					}
					near := engineRow{Place: s.near.name, Shape: shape, KiB: kib, Swaps: swaps, Parallel: parallel}
					cells := []engineRow{near}
					if kib == s.kib[0] && swaps == s.distant.swaps && parallel == s.distant.parallel {
						near.Place = s.far.name
						cells = append(cells, near)
					}
					for _, cell := range cells {
						measured, err := s.runCell(ctx, cell, targets)
						if err != nil {
							return nil, err
						}
						rows = append(rows, measured...)
					}
				}
				if err := remove(); err != nil {
					return nil, err
				}
			}
		}
	}
	return rows, nil
}

// targets makes ConfigMaps of about kib KiB with the keys in them. The padding is random text, so that gzip, which the API
// server applies to large answers, does not make nothing of it.
func (s *stage) targets(ctx context.Context, namespace, shape string, swaps, kib int) (targets []*target, remove func() error, err error) {
	random := make([]byte, kib<<9)
	_, _ = rand.NewChaCha8([32]byte{}).Read(random) // it never fails
	padding := hex.EncodeToString(random)
	maps := s.client.CoreV1().ConfigMaps(namespace)
	remove = func() error { // each by its name: a list of all that is large takes longer than etcd waits
		names := map[string]bool{}
		for _, t := range targets {
			names[t.ref.Name] = true
		}
		for name := range names {
			if err := maps.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
				return err
			}
		}
		return nil
	}
	create := func(data map[string]string) (string, error) {
		data["padding"] = padding
		cm, err := maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "bench-"}, Data: data},
			metav1.CreateOptions{FieldManager: "bench"})
		if err != nil {
			return "", err
		}
		return cm.Name, nil
	}
	data := map[string]string{}
	var creations errgroup.Group
	creations.SetLimit(10)
	for i := range swaps {
		t := &target{ref: eval.Ref{Namespace: namespace}, key: fmt.Sprint("k", i)}
		targets = append(targets, t)
		data[t.key] = "0"
		if shape == manyMaps {
			creations.Go(func() (err error) {
				t.ref.Name, err = create(map[string]string{t.key: "0"})
				return err
			})
		}
	}
	if err := creations.Wait(); err != nil || shape == manyMaps {
		return targets, remove, err
	}
	name, err := create(data)
	for _, t := range targets {
		t.ref.Name = name
	}
	return targets, remove, err
}

// runCell has every writer make the swaps of a cell, as often as rounds and the cap of time allow.
func (s *stage) runCell(ctx context.Context, cell engineRow, targets []*target) ([]engineRow, error) {
	rows := make([]engineRow, len(writers))
	left, last := make([]time.Duration, len(writers)), make([]time.Duration, len(writers))
	order := make([]int, len(writers))
	for i, w := range writers {
		rows[i], left[i], order[i] = cell, s.limit, i
		rows[i].Writer = w.name
	}
	err := alternate(s.rounds, order, func(i int) error {
		if rows[i].Capped || left[i] < last[i] {
			return nil // another round would be broken off
		}
		took, err := s.runWriter(ctx, writers[i], &rows[i], targets, left[i])
		left[i], last[i] = left[i]-took, took
		return err
	})
	for _, row := range rows {
		say("%s", row)
	}
	return rows, err
}

func (r engineRow) String() string {
	capped := ""
	if r.Capped {
		capped = ", capped"
	}
	return fmt.Sprintf("%-10s %-16s %4d KiB %5d swaps %4d at a time  %-20s %10.2f ms a swap, %.2f requests%s",
		r.Place, r.Shape, r.KiB, r.Swaps, r.Parallel, r.Writer, r.milliseconds(), r.perSwap(r.Requests), capped)
}

// milliseconds is the median time that passed for each swap that was made.
func (r engineRow) milliseconds() float64 {
	var each []float64
	for i, done := range r.Done {
		each = append(each, 1000*r.Seconds[i]/float64(max(done, 1)))
	}
	return median(each)
}

// perSwap is the median of the counts for each swap that was made.
func (r engineRow) perSwap(counts []int64) float64 {
	var each []float64
	for i, done := range r.Done {
		each = append(each, float64(counts[i])/float64(max(done, 1)))
	}
	return median(each)
}

// runWriter makes the swaps once, or as many as there is time for. A swap that was broken off is not counted as made, but
// its requests are.
func (s *stage) runWriter(ctx context.Context, w writer, row *engineRow, targets []*target, limit time.Duration) (time.Duration, error) {
	p := s.near
	if row.Place == s.far.name {
		p = s.far
	}
	var m meter
	write, err := w.open(m.on(p.config))
	if err != nil {
		return 0, err
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var (
		mu      sync.Mutex // guards done, broken and failed
		done    int
		broken  []*target
		failed  []error
		running sync.WaitGroup
	)
	slots := make(chan struct{}, row.Parallel)
	begun := time.Now()
	for _, t := range targets {
		slots <- struct{}{}
		if limited.Err() != nil {
			break
		}
		running.Go(func() {
			defer func() { <-slots }()
			err := write(limited, t.ref, t.key, fmt.Sprint(t.value), fmt.Sprint(t.value+1))
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				t.value++
				done++
			case limited.Err() != nil:
				broken = append(broken, t)
			default:
				failed = append(failed, fmt.Errorf("%s: %w", w.name, err))
			}
		})
	}
	running.Wait()
	took := time.Since(begun)
	row.Capped = row.Capped || done < len(targets)
	row.Done, row.Seconds = append(row.Done, done), append(row.Seconds, took.Seconds())
	row.Requests, row.Bytes = append(row.Requests, m.requests.Load()), append(row.Bytes, m.bytes.Load())
	for _, t := range broken {
		if err := s.renew(ctx, t); err != nil {
			return took, err
		}
	}
	return took, errors.Join(failed...)
}

// renew gives a target whose swap was broken off another key: that swap may land yet.
func (s *stage) renew(ctx context.Context, t *target) error {
	t.key, t.value = t.key+"-", 0
	_, err := s.client.CoreV1().ConfigMaps(t.ref.Namespace).Patch(ctx, t.ref.Name, types.MergePatchType,
		fmt.Appendf(nil, `{"data":{%q:"0"}}`, t.key), metav1.PatchOptions{FieldManager: "bench"})
	return err
}

// writeFunc sets one key, where the writer compares only if it holds from.
type writeFunc func(ctx context.Context, ref eval.Ref, key, from, to string) error

// writer is one way to write keys. open makes a client of its own, as each apply has.
type writer struct {
	name string
	open func(*rest.Config) (writeFunc, error)
}

const (
	writerEngine = "engine"
	writerLoop   = "get, update, retry"
	writerBlind  = "blind merge patch"
)

var writers = []writer{{writerEngine, openEngine}, {writerLoop, openLoop}, {writerBlind, openBlind}}

// openEngine compares and swaps.
func openEngine(config *rest.Config) (writeFunc, error) {
	engine, err := cas.New(config, nil)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, ref eval.Ref, key, from, to string) error {
		_, err := engine.Commit(ctx, &eval.Txn{
			Ref: ref, Keys: []eval.KeySwap{{Key: key, Expect: eval.Text(from), New: eval.Text(to)}}, FieldManager: "bench",
		})
		return err
	}, nil
}

// openLoop is the textbook's loop: it compares the key itself, and on a conflict starts again after client-go's recommended
// pause. It never gives up, as the textbook's would after five times.
func openLoop(config *rest.Config) (writeFunc, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	forever := retry.DefaultRetry
	forever.Steps = 1 << 30
	return func(ctx context.Context, ref eval.Ref, key, from, to string) error {
		maps := client.CoreV1().ConfigMaps(ref.Namespace)
		return retry.RetryOnConflict(forever, func() error {
			cm, err := maps.Get(ctx, ref.Name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if cm.Data[key] != from {
				return fmt.Errorf("%s holds %q, not %q", key, cm.Data[key], from)
			}
			cm.Data[key] = to
			_, err = maps.Update(ctx, cm, metav1.UpdateOptions{FieldManager: "bench"})
			return err
		})
	}, nil
}

// openBlind compares nothing: the least that a write of its own can cost.
func openBlind(config *rest.Config) (writeFunc, error) {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, ref eval.Ref, key, _, to string) error {
		_, err := client.CoreV1().ConfigMaps(ref.Namespace).Patch(ctx, ref.Name, types.MergePatchType,
			fmt.Appendf(nil, `{"data":{%q:%q}}`, key, to), metav1.PatchOptions{FieldManager: "bench"})
		return err
	}, nil
}
