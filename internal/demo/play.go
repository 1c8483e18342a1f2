package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
)

// A scene runs the configuration in a folder of the repository on a new ConfigMap with one key.
type scene struct {
	folder, configMap, key, initial string
	steps                           []step
}

// A step prints its heading and its text, has the writer change the key, and runs the command. A field may be empty.
type step struct {
	heading, text string
	writer, sets  string // another field manager, and the value to which it sets the key
	command       string // arguments of terraform
	refused       bool   // whether the command must fail
	wants         string // text that the command must print
	live          string // value that the key must have after the command
}

var scenes = []scene{
	{
		folder: "examples/quickstart", configMap: "testmap", key: "foo", initial: "1",
		steps: []step{
			{
				heading: `1. Swap foo from "1" to "2"`,
				text: `The ConfigMap testmap has foo: "1". examples/quickstart sets foo to "2", but only if foo is "1".
In the plan, "created" refers to the entry in Terraform's state. The key exists already in the ConfigMap.
Of each plan, the demo prints only the lines that matter here.`,
				command: "plan -out=swap.tfplan", wants: "1 to add",
			},
			{command: "apply swap.tfplan", wants: "1 added", live: "2"},
			{
				text:    `expected_value = "1" may stay in the configuration. foo is already "2", so there is nothing to write:`,
				command: "plan", wants: "No changes.",
			},
			{
				heading: "2. Somebody changes foo between plan and apply",
				text:    `You plan the next swap, from "2" to "3":`,
				command: "plan -out=next.tfplan -var=expected_value=2 -var=value=3", wants: "1 to change",
			},
			{
				text:   `Before you apply the plan, another pipeline sets foo to "99". The apply is refused:`,
				writer: "another-pipeline", sets: "99",
				command: "apply next.tfplan", refused: true,
				wants: `Found: "99" Changed by: another-pipeline (last write`, live: "99",
			},
		},
	},
	{
		folder: "internal/demo/flag", configMap: "flags", key: "new_checkout", initial: "off",
		steps: []step{
			{
				heading: "3. Somebody switches a flag by hand",
				text:    `internal/demo/flag switches the flag new_checkout from "off" to "on".`,
				command: "apply -auto-approve", wants: "1 added", live: "on",
			},
			{
				text: `In an emergency, somebody switches the flag off with kubectl edit. "off" is the expected value again,
so the comparison alone would permit the next swap. But an update never overwrites what somebody else
set after the last apply, so the plan stops:`,
				writer: "kubectl-edit", sets: "off",
				command: "plan", refused: true,
				wants: `Found: "off" To write: "on" Changed by: kubectl-edit (last write`,
			},
			{
				text:    `You keep the flag off, as the message says. The apply updates only Terraform's state:`,
				command: "apply -auto-approve -var=value=off", wants: "1 changed", live: "off",
			},
			{command: "plan -var=value=off", wants: "No changes."},
		},
	},
}

// play performs all scenes.
func play(ctx context.Context, s *stage) error {
	for _, scene := range scenes {
		if err := s.create(ctx, scene.configMap, scene.key, scene.initial); err != nil {
			return err
		}
		w, err := s.open(ctx, scene.folder)
		if err != nil {
			return err
		}
		for _, step := range scene.steps {
			if err := s.perform(ctx, w, scene, step); err != nil {
				return err
			}
		}
	}
	say("Done. To try more, follow docs/guides/getting-started.md")
	return nil
}

// create makes the ConfigMap.
func (s *stage) create(ctx context.Context, name, key, value string) error {
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{key: value}}
	_, err := s.maps.Create(ctx, cm, metav1.CreateOptions{FieldManager: "somebody"})
	return err
}

func (s *stage) perform(ctx context.Context, w *testcli.Workspace, scene scene, step step) error {
	if step.heading != "" {
		say("%s", step.heading)
	}
	if step.text != "" {
		explain("%s", step.text)
	}
	if step.writer != "" {
		// managedFields has times in seconds: of two writers in one second, the provider cannot name the last one.
		time.Sleep(time.Second)
		patch := fmt.Appendf(nil, `{"data": {%q: %q}}`, scene.key, step.sets)
		options := metav1.PatchOptions{FieldManager: step.writer}
		if _, err := s.maps.Patch(ctx, scene.configMap, types.MergePatchType, patch, options); err != nil {
			return err
		}
	}
	if err := runCommand(w, step); err != nil || step.live == "" {
		return err
	}
	cm, err := s.maps.Get(ctx, scene.configMap, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if live := cm.Data[scene.key]; live != step.live {
		return fmt.Errorf("the ConfigMap %s has %s: %q, not %q", scene.configMap, scene.key, live, step.live)
	}
	explain("The ConfigMap %s has %s: %q.", scene.configMap, scene.key, step.live)
	return nil
}

// shown matches the lines of a plan, and of a successful apply, that the demo prints.
var shown = regexp.MustCompile(`(?m)^(  # .*|      [+~] (expected_)?value .*|(Plan:|No changes|Apply complete).*)\n`)

// runCommand runs the step's command, and fails unless the command ends and prints as the step says.
func runCommand(w *testcli.Workspace, step step) error {
	command := filepath.Base(w.CLI) + " " + step.command
	explain("$ %s", command)
	r := w.Run(strings.Fields(step.command)...)
	output := strings.Join(shown.FindAllString(r.Stdout, -1), "") + r.Stderr
	fmt.Println(indent("  "+margin, strings.Trim(output, "\n")))
	if refused := r.ExitCode != 0; refused != step.refused {
		return fmt.Errorf("%s ended with exit code %d:\n%s", command, r.ExitCode, r.All())
	}
	if !strings.Contains(testcli.Flat(output), step.wants) {
		return fmt.Errorf("%s did not print %s:\n%s", command, step.wants, r.All())
	}
	return nil
}

// margin precedes each line that is not a heading.
const margin = "   "

// say prints a heading.
func say(format string, args ...any) { fmt.Printf("\n== "+format+"\n", args...) }

// explain prints a paragraph.
func explain(format string, args ...any) {
	fmt.Printf("\n%s\n", indent(margin, fmt.Sprintf(format, args...)))
}

var lineStart = regexp.MustCompile(`(?m)^(.)`)

// indent puts the prefix before each line that is not empty.
func indent(prefix, text string) string { return lineStart.ReplaceAllString(text, prefix+"$1") }
