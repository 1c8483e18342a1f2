package configmap

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/pool"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/resource"
)

// Ranges are the attributes that say what can be taken from a pool. At most one of them is set.
type Ranges struct {
	Numbers types.Object `tfsdk:"numbers"`
	CIDR    types.Object `tfsdk:"cidr"`
	Names   types.List   `tfsdk:"names"`
}

type numbersModel struct {
	From   types.Int64 `tfsdk:"from"`
	To     types.Int64 `tfsdk:"to"`
	Except types.List  `tfsdk:"except"`
}

type cidrModel struct {
	Within types.List  `tfsdk:"within"`
	Prefix types.Int64 `tfsdk:"prefix"`
	Except types.List  `tfsdk:"except"`
}

// RangeAttributes returns the attributes of Ranges, each with its description and validators, also for data sources.
func RangeAttributes(
	numbers, cidr, names string, besideNumbers, besideCIDR []validator.Object,
) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"numbers": schema.SingleNestedAttribute{
			Optional: true, Validators: besideNumbers, MarkdownDescription: numbers,
			Attributes: map[string]schema.Attribute{
				"from": schema.Int64Attribute{
					CustomType: attributes.WholeNumber{}, Required: true, MarkdownDescription: "First number of the range.",
				},
				"to": schema.Int64Attribute{
					CustomType: attributes.WholeNumber{}, Required: true, MarkdownDescription: "Last number of the range.",
				},
				"except": schema.ListAttribute{
					Optional: true, ElementType: attributes.WholeNumber{}, MarkdownDescription: "Numbers that are not taken.",
				},
			},
		},
		"cidr": schema.SingleNestedAttribute{
			Optional: true, Validators: besideCIDR, MarkdownDescription: cidr,
			Attributes: map[string]schema.Attribute{
				"within": schema.ListAttribute{
					Required: true, ElementType: types.StringType, Validators: []validator.List{listvalidator.SizeAtLeast(1)},
					MarkdownDescription: "Prefixes to take from, such as `10.0.0.0/12`. They must not overlap.",
				},
				"prefix": schema.Int64Attribute{
					CustomType: attributes.WholeNumber{}, Required: true,
					Validators:          []validator.Int64{int64validator.Between(0, 128)},
					MarkdownDescription: "Length of the prefix to take, such as `24`.",
				},
				"except": schema.ListAttribute{
					Optional: true, ElementType: types.StringType,
					MarkdownDescription: "Prefixes to skip. Nothing inside them is taken.",
				},
			},
		},
		"names": schema.ListAttribute{
			Optional: true, ElementType: types.StringType, Validators: []validator.List{listvalidator.SizeAtLeast(1)},
			MarkdownDescription: names,
		},
	}
}

// Kind is the name of the attribute that is set; empty where there is none, or where it is not known which of several
// will be.
func (r *Ranges) Kind() string {
	var maySet []string
	for _, kind := range []struct {
		name string
		attr.Value
	}{{"numbers", r.Numbers}, {"cidr", r.CIDR}, {"names", r.Names}} {
		switch {
		case kind.IsUnknown():
			maySet = append(maySet, kind.name)
		case !kind.IsNull():
			return kind.name
		}
	}
	if len(maySet) == 1 {
		return maySet[0]
	}
	return ""
}

// Range returns the range of an allocation: nil if none is set, or if a part is unknown. The diagnostics describe an
// invalid range.
func (r *Ranges) Range(ctx context.Context) (pool.Range, diag.Diagnostics) {
	switch kind := r.Kind(); kind {
	case "numbers":
		var m numbersModel
		if !isWhollyKnown(ctx, r.Numbers) {
			return nil, nil
		}
		diags := r.Numbers.As(ctx, &m, basetypes.ObjectAsOptions{})
		from := pool.Numbers{From: m.From.ValueInt64(), To: m.To.ValueInt64()}
		for _, n := range m.Except.Elements() {
			if n.IsNull() { // it would be taken for 0
				diags.Append(message.InvalidAllocation.Problem(path.Root(kind).AtName("except"), "must hold numbers, not null"))
			}
			if n, ok := n.(types.Int64); ok {
				from.Except = append(from.Except, n.ValueInt64())
			}
		}
		if from.From > from.To {
			diags.Append(message.InvalidAllocation.Problem(path.Root("numbers"),
				fmt.Sprintf("from (%d) must not be above to (%d)", from.From, from.To)))
		}
		return from, diags
	case "cidr":
		var m cidrModel
		if !isWhollyKnown(ctx, r.CIDR) {
			return nil, nil
		}
		diags := r.CIDR.As(ctx, &m, basetypes.ObjectAsOptions{})
		from := pool.Prefixes{Bits: int(m.Prefix.ValueInt64())}
		from.Within = prefixesOf(path.Root("cidr").AtName("within"), m.Within, &diags)
		from.Except = prefixesOf(path.Root("cidr").AtName("except"), m.Except, &diags)
		for i, w := range from.Within {
			if from.Bits < w.Bits() || from.Bits > w.Addr().BitLen() {
				diags.Append(message.InvalidAllocation.Problem(path.Root("cidr").AtName("prefix"),
					fmt.Sprintf("must be between %d and %d for %s, not %d", w.Bits(), w.Addr().BitLen(), w, from.Bits)))
			}
			if slices.ContainsFunc(from.Within[:i], w.Overlaps) {
				diags.Append(message.InvalidAllocation.Problem(path.Root("cidr").AtName("within"),
					fmt.Sprintf("%s overlaps another one", w)))
			}
		}
		return from, diags
	case "names":
		if !isWhollyKnown(ctx, r.Names) {
			return nil, nil
		}
		from := pool.Names(resource.KeysOf(r.Names))
		var diags diag.Diagnostics
		for i, name := range from {
			if !pool.IsName(name) || len(name) > mostName {
				diags.Append(message.InvalidAllocation.Problem(path.Root(kind),
					fmt.Sprintf("must hold texts of 1 to %d bytes without U+FFFD, not %q", mostName, name)))
			}
			if slices.Contains(from[:i], name) {
				diags.Append(message.InvalidAllocation.Problem(path.Root(kind), fmt.Sprintf("has %q twice", name)))
			}
		}
		return from, diags
	}
	return nil, nil
}

// SetOnly makes a range of one value, of the kind that the value has the form of. A configuration that is generated for
// an import has this range.
func (r *Ranges) SetOnly(value string) {
	number, err := strconv.ParseInt(value, 10, 64)
	prefix, notPrefix := netip.ParsePrefix(value)
	switch {
	case err == nil && strconv.FormatInt(number, 10) == value:
		one := types.Int64Value(number)
		r.Numbers = types.ObjectValueMust(r.Numbers.AttributeTypes(context.Background()), map[string]attr.Value{
			"from": one, "to": one, "except": types.ListNull(attributes.WholeNumber{}),
		})
	case notPrefix == nil && prefix.Masked().String() == value:
		r.CIDR = types.ObjectValueMust(r.CIDR.AttributeTypes(context.Background()), map[string]attr.Value{
			"within": resource.ListOf([]string{value}), "prefix": types.Int64Value(int64(prefix.Bits())),
			"except": types.ListNull(types.StringType),
		})
	default:
		r.Names = resource.ListOf([]string{value})
	}
}

// mostName is how many bytes a name has at most.
const mostName = 128

// prefixesOf reads a list of prefixes. A prefix must have no bits after its length: 10.0.0.1/24 may be a mistake for
// another prefix than 10.0.0.0/24.
func prefixesOf(at path.Path, list types.List, diags *diag.Diagnostics) (all []netip.Prefix) {
	for _, text := range resource.KeysOf(list) {
		p, err := netip.ParsePrefix(text)
		switch {
		case err != nil || p.Addr().Is4In6():
			diags.Append(message.InvalidAllocation.Problem(at,
				fmt.Sprintf("must hold prefixes such as 10.0.0.0/12, not %q", text)))
		case p != p.Masked():
			diags.Append(message.InvalidAllocation.Problem(at,
				fmt.Sprintf("%s has bits behind its length: write %s", p, p.Masked())))
		default:
			all = append(all, p)
		}
	}
	return all
}

// isWhollyKnown reports whether a value and all in it are known.
func isWhollyKnown(ctx context.Context, v attr.Value) bool {
	raw, err := v.ToTerraformValue(ctx)
	return err == nil && raw.IsFullyKnown()
}
