package configmap

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// ValidateConfig checks what no attribute can tell by itself. What is unknown yet is left to the API server.
func (*wholeResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	config, diags := wholeCodec().Decode(ctx, req.Config.Raw)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	textual, encoded := stringsOf(config.Data), stringsOf(config.BinaryData)
	size, largest := 0, path.Root("data")
	for _, value := range textual {
		size += len(value)
	}
	if config.Data.IsNull() {
		largest = path.Root("binary_data")
	}
	for _, key := range slices.Sorted(maps.Keys(encoded)) {
		if _, ok := textual[key]; ok {
			at := path.Root("binary_data").AtMapKey(key)
			resp.Diagnostics.Append(diagnose.TitleKeyInBothMaps.At(at, fmt.Sprintf("Attribute %s: the key is in data as well.", at)))
		}
		size += base64.StdEncoding.DecodedLen(len(encoded[key])) - strings.Count(encoded[key], "=")
	}
	if problems := attributes.SizeProblems(size); len(problems) > 0 {
		resp.Diagnostics.Append(diagnose.TitleConfigMapTooLarge.At(largest, fmt.Sprintf(
			"Attribute %s: the values of data and binary_data have %d bytes together; those of a ConfigMap may have %d.", largest, size, cas.MaxSize)))
	}
	if err := validation.ValidateAnnotationsSize(stringsOf(config.Annotations)); err != nil {
		at := path.Root("annotations")
		resp.Diagnostics.Append(diagnose.TitleAnnotationsTooLarge.At(at, fmt.Sprintf("Attribute %s: %v.", at, err)))
	}
}

func validNamePrefix() validator.String {
	return attributes.Rule("the beginning of a ConfigMap's name (RFC 1123 subdomain)", diagnose.TitleInvalidNamePrefix, terms.NamePrefixProblems)
}

func validLabelKey() validator.String {
	return attributes.Rule("a label's key", diagnose.TitleInvalidLabelKey, utilvalidation.IsQualifiedName)
}

func validLabelValue() validator.String {
	return attributes.Rule("a label's value", diagnose.TitleInvalidLabelValue, utilvalidation.IsValidLabelValue)
}

func validAnnotationKey() validator.String {
	return attributes.Rule("an annotation's key", diagnose.TitleInvalidAnnotationKey, func(s string) []string {
		return utilvalidation.IsQualifiedName(strings.ToLower(s))
	})
}
