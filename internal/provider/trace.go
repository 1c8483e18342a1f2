package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

// traceSubsystem is the name under which package cas appears in the log. Its level is that of the provider, or that of the
// environment variable TF_LOG_PROVIDER_CAS_ENGINE.
const traceSubsystem = "cas"

// traceSwap logs what came of one call into package cas, and never values.
func traceSwap(ctx context.Context, e cas.Event) {
	ctx = tflog.NewSubsystem(ctx, traceSubsystem, tflog.WithLevelFromEnv("TF_LOG_PROVIDER_CAS_ENGINE"))
	tflog.SubsystemDebug(ctx, traceSubsystem, e.Operation, map[string]any{
		"configmap": e.Ref.String(),
		"key":       e.Key,
		"attempts":  e.Attempts,
		"batch":     e.Batch,
		"verdict":   string(e.Verdict),
		"ms":        e.Duration.Milliseconds(),
	})
}
