package commandlines

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// TestExecPluginThatHangsOnTheCommandLine: the message names it, and it ends with the run, as does what it has started itself.
func TestExecPluginThatHangsOnTheCommandLine(t *testing.T) {
	p := fixture.NewCLIPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "1"})
	dir := t.TempDir()
	command, pids := filepath.Join(dir, "hanging-plugin"), filepath.Join(dir, "pids")
	script := "#!/bin/sh\nsleep 100000 &\necho $$ $! >> " + pids + "\nwait\n"
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
	content, err := os.ReadFile(pids)
	if err != nil && !errors.Is(err, os.ErrNotExist) { // the provider may end a slow shell before it writes
		t.Fatal(err)
	}
	for _, field := range strings.Fields(string(content)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		// The provider kills a process, and does not wait for its end.
		for end := time.Now().Add(time.Minute); isRunning(pid) && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
		if isRunning(pid) {
			t.Errorf("process %d outlives the run", pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	p.WantLive("testmap", fixture.Data{"foo": "1"})
}

// isRunning reports whether a process has not ended. One that nobody has waited for yet has.
func isRunning(pid int) bool {
	content, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(content), ") ")
	return !strings.HasPrefix(rest, "Z")
}
