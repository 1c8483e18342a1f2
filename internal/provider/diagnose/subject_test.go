package diagnose

import (
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

func TestLastWriterNamesAllOfTheSameSecond(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	got := lastWriter([]cas.Writer{{Manager: "a", Operation: "Update", Time: at}, {Manager: "b", Operation: "Apply", Time: at}})
	want := "Last writer: a (Update) or b (Apply), 2026-07-01T12:00:00Z, as far as managedFields tell: times are per manager, in seconds, " +
		"removals leave no trace"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
