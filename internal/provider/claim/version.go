package claim

import (
	"context"
	"slices"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
)

// changesVersion reports whether an update changes the API version in which the paths are read.
func (ch *Change) changesVersion() bool { return ch.Plan.APIVersion != ch.Prior.APIVersion }

// checkVersion refuses an update to an API version that does not have the values of the state. Such an update may write
// nothing, and the next refresh would take the missing values for a change by somebody else. Without an answer in the
// former version, nothing shows whether the new one lacks a value or somebody removed the value.
func (ch *Change) checkVersion(ctx context.Context) error {
	if !ch.changesVersion() {
		return nil
	}
	now, err := ch.Run.Engine.ObserveFields(ctx, ch.Plan.Ref, ch.Plan.APIVersion, 0)
	if err != nil {
		return err
	}
	before, err := ch.Run.Engine.ObserveFields(ctx, ch.Prior.Ref, ch.Prior.APIVersion, 0)
	if err != nil || before.Version() != now.Version() {
		return nil //nolint:nilerr // see above
	}
	lacking := slices.DeleteFunc(sortedKeys(ch.Prior.Values), func(key string) bool {
		value, names := ch.Plan.Configured[key]
		had, has := before.Entry(key), now.Entry(key)
		isLost := !had.IsAbsent() && has.IsAbsent()
		if value == ch.Prior.Configured[key] {
			isLost = had.Contains(value) && !has.Contains(value)
		}
		return !names || !isLost
	})
	if len(lacking) == 0 {
		return nil
	}
	return &diagnose.LackingError{Keys: lacking, Before: ch.Prior.APIVersion}
}
