package attributes

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
)

// WholeNumber is the type of an attribute with a whole number of 64 bits. The framework converts a value before it
// validates it, and reports a failed conversion as a defect of the provider. So the conversion makes any other number
// unknown, and the validation, which always follows, refuses it.
type WholeNumber struct{ basetypes.Int64Type }

// Equal implements [attr.Type]. The values have the type of the framework.
func (t WholeNumber) Equal(other attr.Type) bool {
	_, isWhole := other.(WholeNumber)
	return isWhole || t.Int64Type.Equal(other)
}

// ValueFromTerraform implements [attr.Type].
func (t WholeNumber) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	value, err := t.Int64Type.ValueFromTerraform(ctx, in)
	if err != nil {
		return types.Int64Unknown(), nil //nolint:nilerr // Validate reports it
	}
	return value, nil
}

// Validate refuses a number that is not whole, or does not fit.
func (t WholeNumber) Validate(ctx context.Context, in tftypes.Value, at path.Path) diag.Diagnostics {
	if t.Int64Type.Validate(ctx, in, at).HasError() {
		return diag.Diagnostics{message.InvalidNumber.Problem(at, "must be a whole number of 64 bits")}
	}
	return nil
}

// Decimal is [WholeNumber] for a floating-point number of 64 bits.
type Decimal struct{ basetypes.Float64Type }

// Equal implements [attr.Type]. The values have the type of the framework.
func (t Decimal) Equal(other attr.Type) bool {
	_, isDecimal := other.(Decimal)
	return isDecimal || t.Float64Type.Equal(other)
}

// ValueFromTerraform implements [attr.Type].
func (t Decimal) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	value, err := t.Float64Type.ValueFromTerraform(ctx, in)
	if err != nil {
		return types.Float64Unknown(), nil //nolint:nilerr // Validate reports it
	}
	return value, nil
}

// Validate refuses a number that does not fit.
func (t Decimal) Validate(ctx context.Context, in tftypes.Value, at path.Path) diag.Diagnostics {
	if t.Float64Type.Validate(ctx, in, at).HasError() {
		return diag.Diagnostics{message.InvalidNumber.Problem(at, "must be a number of 64 bits")}
	}
	return nil
}
