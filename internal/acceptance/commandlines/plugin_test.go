package commandlines

import (
	"os"
	"path/filepath"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// TestExecPluginThatHangsOnTheCommandLine checks that the plan ends with the timeout, and that the message names the plugin.
func TestExecPluginThatHangsOnTheCommandLine(t *testing.T) {
	p := fixture.NewCLIPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "1"})
	dir := t.TempDir()
	command, running := filepath.Join(dir, "hanging-plugin"), filepath.Join(dir, "running")
	if err := os.WriteFile(running, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\nwhile test -e " + running + "; do sleep 0.1; done\n" // until the test removes dir
	if err := os.WriteFile(command, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.LoadFromFile(p.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	for name := range config.AuthInfos {
		config.AuthInfos[name] = &clientcmdapi.AuthInfo{Exec: &clientcmdapi.ExecConfig{
			APIVersion: "client.authentication.k8s.io/v1", Command: command, InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
		}}
	}
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := clientcmd.WriteToFile(*config, kubeconfig); err != nil {
		t.Fatal(err)
	}
	many := "" // one waits for the command, and the others to start it again
	for _, key := range []string{"foo", "a", "b", "c", "d"} {
		many += fixture.Entry(key, "testmap", key, `value = "2"`, `timeouts = { read = "3s" }`)
	}
	p.WriteFor(kubeconfig, "", many)
	p.PlanRefused([]string{
		"Error: Operation Timed Out", "The exec plugin that gives the credentials did not answer in time.", "Command: " + command,
		"Run the command in a shell to see what it waits for", "!The API server did not answer",
	})
	p.WantLive("testmap", fixture.Data{"foo": "1"})
}
