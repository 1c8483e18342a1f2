package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// processRow has the measurements of several processes that write different keys of one ConfigMap, in each round.
type processRow struct {
	Place     string
	Processes int
	Writes    int // of each process
	Seconds   []float64
	Requests  []float64 // a write
	Conflicts []int     // all of them false: nobody else writes the keys
	Slowest   []float64 // swap of any process, in seconds
}

// workerEnv holds the job of a process of this program that is one of several writers.
const workerEnv = "CAS_BENCH_WORKER"

// job is the input of a worker.
type job struct {
	Kubeconfig string
	Ref        eval.Ref
	Key        string
	Writes     int
}

// account is the output of a worker.
type account struct {
	Requests  int64
	Conflicts int
	Slowest   float64
}

// benchProcesses measures processes that know nothing of each other.
func benchProcesses(ctx context.Context, s *stage) ([]processRow, error) {
	namespace, err := s.namespace(ctx)
	if err != nil {
		return nil, err
	}
	var rows []processRow
	for _, p := range s.places() {
		for _, processes := range s.processes {
			row := processRow{Place: p.name, Processes: processes, Writes: s.writes}
			for range s.rounds {
				if err := s.runProcesses(ctx, p, namespace, &row); err != nil {
					return nil, err
				}
			}
			say("%-10s %2d processes: %.2f requests a write, conflicts %v, slowest swap %.3f s",
				p.name, processes, median(row.Requests), row.Conflicts, median(row.Slowest))
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// runProcesses runs one round: all start to write when all are ready.
func (s *stage) runProcesses(ctx context.Context, p place, namespace string, row *processRow) error {
	data := map[string]string{}
	for i := range row.Processes {
		data[fmt.Sprint("k", i)] = "0"
	}
	cm, err := s.client.CoreV1().ConfigMaps(namespace).Create(ctx,
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "bench-"}, Data: data}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var all []*worker
	defer func() {
		cancel()
		for _, w := range all {
			_ = w.cmd.Wait() // killed, where it has not ended
		}
	}()
	for i := range row.Processes {
		w, err := startWorker(ctx, job{p.kubeconfig, eval.Ref{Namespace: namespace, Name: cm.Name}, fmt.Sprint("k", i), row.Writes})
		if err != nil {
			return err
		}
		all = append(all, w)
	}
	for _, w := range all {
		if line, err := w.out.ReadString('\n'); err != nil || line != "ready\n" {
			return fmt.Errorf("a worker is not ready: %q, %w", line, err)
		}
	}
	begun := time.Now()
	for _, w := range all {
		if err := w.in.Close(); err != nil {
			return err
		}
	}
	var total account
	for _, w := range all {
		var a account
		if err := json.NewDecoder(w.out).Decode(&a); err != nil {
			return fmt.Errorf("a worker failed: %w", err)
		}
		total.Requests += a.Requests
		total.Conflicts += a.Conflicts
		total.Slowest = max(total.Slowest, a.Slowest)
	}
	row.Seconds = append(row.Seconds, time.Since(begun).Seconds())
	row.Requests = append(row.Requests, float64(total.Requests)/float64(row.Processes*row.Writes))
	row.Conflicts = append(row.Conflicts, total.Conflicts)
	row.Slowest = append(row.Slowest, total.Slowest)
	return nil
}

// worker is a process of this program that has a job.
type worker struct {
	cmd *exec.Cmd
	in  io.Closer
	out *bufio.Reader
}

func startWorker(ctx context.Context, j job) (*worker, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	spec, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program)
	cmd.Env, cmd.Stderr = append(os.Environ(), workerEnv+"="+string(spec)), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &worker{cmd: cmd, in: in, out: bufio.NewReader(out)}, cmd.Start()
}

// work is a worker's side: it says when it is ready, starts when its input ends, and reports its measurements.
func work(spec string) error {
	var j job
	if err := json.Unmarshal([]byte(spec), &j); err != nil {
		return err
	}
	config, err := clientcmd.BuildConfigFromFlags("", j.Kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	var m meter
	config.Wrap(func(rt http.RoundTripper) http.RoundTripper { return meteredTransport{rt, &m} })
	engine, err := cas.New(config, nil)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	var a account
	n := 0
	for range j.Writes {
		begun := time.Now()
		_, err := engine.Commit(context.Background(), &eval.Txn{
			Ref: j.Ref, Keys: []eval.KeySwap{{Key: j.Key, Expect: eval.Text(fmt.Sprint(n)), New: eval.Text(fmt.Sprint(n + 1))}},
			FieldManager: "bench-" + j.Key,
		})
		a.Slowest = max(a.Slowest, time.Since(begun).Seconds())
		switch eval.VerdictOf(err) {
		case eval.Applied:
			n++
		case eval.Conflict:
			a.Conflicts++
		default:
			return err
		}
	}
	a.Requests = m.requests.Load()
	return json.NewEncoder(os.Stdout).Encode(a)
}
