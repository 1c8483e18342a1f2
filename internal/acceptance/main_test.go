package acceptance_test

import (
	"os"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(recordTo); path != "" {
		serveRecorded(path)
		return
	}
	testcluster.Main(m, testcli.Cleanup)
}
