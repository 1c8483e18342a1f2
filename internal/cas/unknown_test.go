package cas

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Given a write whose caller leaves before its answer, merged or by JSON Patch; then the error says whether it may land on any version.
func TestUnknownWriteSaysWhetherItMayLandOnAnyVersion(t *testing.T) {
	for name, isBusy := range map[string]bool{"a merge patch": false, "a JSON Patch": true} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			if isBusy {
				f.contend()
			}
			l := f.late()
			l.holds(http.MethodPatch, testcluster.Fault{})
			err := l.leaves(func(ctx context.Context) error {
				_, err := l.engine.Swap(ctx, l.swapping("foo", one, two))
				return err
			})
			var unknown *UnknownError
			if !errors.As(err, &unknown) || unknown.OnAny != isBusy || !unknown.Base.Valid() {
				t.Errorf("%#v, want an unknown outcome on a base, on any: %t", err, isBusy)
			}
		})
	}
}
