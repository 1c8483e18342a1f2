package soak

import (
	"flag"
	"os"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

var (
	secrets  = flag.Bool("soak.secrets", false, "has them fight over Secrets instead of ConfigMaps")
	duration = flag.Duration("soak.duration", 0, "for how long all of it goes on; without it, each part does one round")
)

func TestMain(m *testing.M) {
	if os.Getenv(workerEnv) != "" {
		os.Exit(work(os.Stdin, os.Stdout))
	}
	testcluster.Main(m)
}

// parts is among how many parts the duration is divided.
const parts = 18

// again reports whether a part that began at that time goes on for another round.
func again(begun time.Time) bool { return time.Since(begun) < *duration/parts }
