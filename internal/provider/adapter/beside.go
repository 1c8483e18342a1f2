package adapter

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// declares has the plan know which keys a whole object shall have, beside those of other resources. plan is nil for a removal.
func (r *Whole) declares(ctx context.Context, plan *Object, isNew bool) diag.Diagnostics {
	if plan == nil || !plan.RefKnown() || plan.Data.IsUnknown() || plan.BinaryData.IsUnknown() {
		return nil
	}
	named := func(m types.Map) map[string]bool {
		if m.IsNull() {
			return nil
		}
		keys := map[string]bool{}
		for key := range m.Elements() {
			keys[key] = true
		}
		return keys
	}
	d := claim.Declared{Text: named(plan.Data), Binary: named(plan.BinaryData)}
	if r.Kind == cas.Secret {
		d.Text = d.Binary
	}
	return r.Run.PlanDeclares(ctx, plan.Ref(), d, isNew, r.About(plan, terms.OpCreate))
}
