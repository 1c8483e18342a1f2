package resource

import (
	"encoding/base64"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Conversions between the values of Terraform and of Go.

// Known reports whether all values are known.
func Known(values ...types.String) bool {
	return !slices.ContainsFunc(values, types.String.IsUnknown)
}

// AllKnown reports whether maps and all of their elements are known.
func AllKnown(all ...types.Map) bool {
	for _, m := range all {
		if m.IsUnknown() {
			return false
		}
		for _, v := range m.Elements() {
			if v.IsUnknown() {
				return false
			}
		}
	}
	return true
}

// ListOf returns a list of keys.
func ListOf(keys []string) types.List {
	all := make([]attr.Value, len(keys))
	for i, key := range keys {
		all[i] = types.StringValue(key)
	}
	return types.ListValueMust(types.StringType, all)
}

// KeysOf returns the keys of a list that ListOf made.
func KeysOf(list types.List) (keys []string) {
	for _, key := range list.Elements() {
		keys = append(keys, StringOf(key).ValueString())
	}
	return keys
}

// StringOf returns a value that is a string; null for any other value.
func StringOf(v attr.Value) types.String {
	if s, ok := v.(types.String); ok {
		return s
	}
	return types.StringNull()
}

// TextOf returns a text; null for an empty one.
func TextOf(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// MapOf returns a map of strings; null for nil.
func MapOf(all map[string]string) types.Map {
	if all == nil {
		return types.MapNull(types.StringType)
	}
	values := make(map[string]attr.Value, len(all))
	for key, value := range all {
		values[key] = types.StringValue(value)
	}
	return types.MapValueMust(types.StringType, values)
}

// EntryFrom returns the value of an entry from a text or from base64: the absent value if both are null or if the
// base64 is invalid, which the validators refuse, and [eval.Anything] if one is unknown.
func EntryFrom(kind eval.Kind, textual, encoded types.String) eval.Value {
	if textual.IsUnknown() || encoded.IsUnknown() {
		return eval.Anything()
	}
	if !textual.IsNull() {
		return kind.Normalize(eval.Text(textual.ValueString()))
	}
	b, err := base64.StdEncoding.DecodeString(encoded.ValueString())
	if encoded.IsNull() || err != nil {
		return eval.Value{}
	}
	return eval.Binary(b)
}

// EntriesFrom returns the values of a map of texts and a map of base64. A null element becomes the absent value.
func EntriesFrom(kind eval.Kind, textual, encoded types.Map) map[string]eval.Value {
	entries := map[string]eval.Value{}
	for key, v := range textual.Elements() {
		entries[key] = EntryFrom(kind, StringOf(v), types.StringNull())
	}
	for key, v := range encoded.Elements() {
		entries[key] = EntryFrom(kind, types.StringNull(), StringOf(v))
	}
	return entries
}

// ValuesOf returns a value as a text or as base64, the reverse of EntryFrom.
func ValuesOf(e eval.Value) (textual, encoded types.String) {
	if v, ok := e.Text(); ok {
		textual = types.StringValue(v)
	} else if b, ok := e.Binary(); ok {
		encoded = types.StringValue(base64.StdEncoding.EncodeToString(b))
	}
	return textual, encoded
}

// MapsOf returns the texts among the values, and the base64 of the others.
func MapsOf(entries map[string]eval.Value) (texts, others map[string]string) {
	texts, others = map[string]string{}, map[string]string{}
	for key, e := range entries {
		if textual, encoded := ValuesOf(e); !textual.IsNull() {
			texts[key] = textual.ValueString()
		} else if !encoded.IsNull() {
			others[key] = encoded.ValueString()
		}
	}
	return texts, others
}
