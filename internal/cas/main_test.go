package cas

import (
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

func TestMain(m *testing.M) { testcluster.Main(m) }

// txnTask is a task that asks for a Txn to be written.
func txnTask(t *testing.T, txn *eval.Txn) *task {
	t.Helper()
	return newTask(t.Context(), &wire.Client{Now: time.Now}, writeTask, txn.Ref, operation{txn: txn})
}
