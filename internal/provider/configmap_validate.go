package provider

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
)

// ValidateConfig checks what no attribute can tell by itself. What is unknown yet is left to the API server.
func (*configMapResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	config, diags := configMapCodec().decode(ctx, req.Config.Raw)
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
			resp.Diagnostics.Append(titleKeyInBothMaps.at(at, fmt.Sprintf("Attribute %s: the key is in data as well.", at)))
		}
		size += base64.StdEncoding.DecodedLen(len(encoded[key])) - strings.Count(encoded[key], "=")
	}
	if problems := sizeProblems(size); len(problems) > 0 {
		resp.Diagnostics.Append(titleConfigMapTooLarge.at(largest, fmt.Sprintf(
			"Attribute %s: the values of data and binary_data have %d bytes together; those of a ConfigMap may have %d.", largest, size, cas.MaxSize)))
	}
	if err := validation.ValidateAnnotationsSize(stringsOf(config.Annotations)); err != nil {
		at := path.Root("annotations")
		resp.Diagnostics.Append(titleAnnotationsTooLarge.at(at, fmt.Sprintf("Attribute %s: %v.", at, err)))
	}
}

func validNamePrefix() validator.String {
	return stringRule{"the beginning of a ConfigMap's name (RFC 1123 subdomain)", titleInvalidNamePrefix, namePrefixProblems}
}

func validLabelKey() validator.String {
	return stringRule{"a label's key", titleInvalidLabelKey, utilvalidation.IsQualifiedName}
}

func validLabelValue() validator.String {
	return stringRule{"a label's value", titleInvalidLabelValue, utilvalidation.IsValidLabelValue}
}

func validAnnotationKey() validator.String {
	return stringRule{"an annotation's key", titleInvalidAnnotationKey, func(s string) []string {
		return utilvalidation.IsQualifiedName(strings.ToLower(s)) // as ValidateAnnotations in k8s.io/apimachinery has it
	}}
}
