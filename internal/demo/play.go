package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What terraform plan -detailed-exitcode ends with, and any command.
const (
	noChanges = 0
	failed    = 1
	changes   = 2
)

// play is the demo, step by step.
func play(ctx context.Context, s *stage) error {
	for _, step := range []func(context.Context) error{
		s.create, s.swap, s.planAgain, s.applyStalePlan, s.planWrongExpectation,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	say("Everything ended as it should")
	return nil
}

func (s *stage) create(ctx context.Context) error {
	say(`Somebody's ConfigMap testmap, with foo: "1"`)
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "testmap"}, Data: map[string]string{"foo": "1"}}
	if _, err := s.client.CoreV1().ConfigMaps(s.namespace).Create(ctx, cm, metav1.CreateOptions{FieldManager: "somebody"}); err != nil {
		return err
	}
	return s.wantLive(ctx, "1")
}

func (s *stage) swap(ctx context.Context) error {
	say(`Swap foo from "1" to "2", and only if it is "1": plan, and apply`)
	if err := s.command(changes, nil, "plan", "-detailed-exitcode", "-out=swap.tfplan"); err != nil {
		return err
	}
	if err := s.command(noChanges, []string{`previous_value = "1"`}, "apply", "swap.tfplan"); err != nil {
		return err
	}
	return s.wantLive(ctx, "2")
}

func (s *stage) planAgain(context.Context) error {
	say(`Plan again: foo is "2", so there is nothing to do, and expected_value may stay as it is`)
	return s.command(noChanges, []string{"No changes."}, "plan", "-detailed-exitcode")
}

func (s *stage) applyStalePlan(ctx context.Context) error {
	say(`Plan a swap from "2" to "3"; somebody changes foo before it is applied; the apply is refused`)
	vars := []string{"-var=value=3", "-var=expected_value=2"}
	if err := s.command(changes, nil, append([]string{"plan", "-detailed-exitcode", "-out=stale.tfplan"}, vars...)...); err != nil {
		return err
	}
	note(`somebody else sets foo to "99"`)
	if err := s.intrude(ctx, "99"); err != nil {
		return err
	}
	if err := s.command(failed, []string{"Compare-And-Swap Conflict", `"99"`, "somebody-else"}, "apply", "stale.tfplan"); err != nil {
		return err
	}
	return s.wantLive(ctx, "99")
}

func (s *stage) planWrongExpectation(ctx context.Context) error {
	say(`Plan the same swap once more: foo is not "2", so the plan is refused`)
	vars := []string{"-var=value=3", "-var=expected_value=2"}
	if err := s.command(failed, []string{"Expected Value Mismatch", `"99"`}, append([]string{"plan"}, vars...)...); err != nil {
		return err
	}
	return s.wantLive(ctx, "99")
}

// intrude changes foo as another writer.
func (s *stage) intrude(ctx context.Context, value string) error {
	maps := s.client.CoreV1().ConfigMaps(s.namespace)
	cm, err := maps.Get(ctx, "testmap", metav1.GetOptions{})
	if err != nil {
		return err
	}
	// managedFields' times are in seconds, and all that wrote in the same one are named as the last writers.
	for _, of := range cm.ManagedFields {
		if err := pass(ctx, of.Time.Add(time.Second)); err != nil {
			return err
		}
	}
	cm.Data["foo"] = value
	if _, err := maps.Update(ctx, cm, metav1.UpdateOptions{FieldManager: "somebody-else"}); err != nil {
		return err
	}
	return s.wantLive(ctx, value)
}

// pass waits until the moment has passed.
func pass(ctx context.Context, moment time.Time) error {
	select {
	case <-time.After(time.Until(moment)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// wantLive reads foo past the provider and says what it is.
func (s *stage) wantLive(ctx context.Context, want string) error {
	cm, err := s.client.CoreV1().ConfigMaps(s.namespace).Get(ctx, "testmap", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if got := cm.Data["foo"]; got != want {
		return fmt.Errorf("live foo is %q, not %q", got, want)
	}
	note("live: testmap holds foo: %q, resourceVersion %s", want, cm.ResourceVersion)
	return nil
}

// command runs the command line, shows what it prints, and fails unless it ends with the exit code and prints the
// texts, wrapped as it may be.
func (s *stage) command(exitCode int, texts []string, args ...string) error {
	line := filepath.Base(s.workspace.CLI) + " " + strings.Join(args, " ")
	fmt.Printf("\n%s$ %s\n\n", margin, line)
	out := &indenter{w: os.Stdout}
	s.workspace.Output = out
	r := s.workspace.Run(args...)
	out.end()
	if r.ExitCode != exitCode {
		return fmt.Errorf("%s ended with %d, not with %d", line, r.ExitCode, exitCode)
	}
	all := strings.Join(strings.Fields(strings.ReplaceAll(r.All(), "│", " ")), " ")
	for _, text := range texts {
		if !strings.Contains(all, text) {
			return fmt.Errorf("%s does not say %s", line, text)
		}
	}
	fmt.Println()
	note("exit code %d", r.ExitCode)
	return nil
}
