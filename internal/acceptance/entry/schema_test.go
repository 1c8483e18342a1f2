package entry

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// TestConfigMapEntryInvalidConfiguration gives each invalid argument to a resource of its own. All are reported together, each at
// its attribute, before any request.
func TestConfigMapEntryInvalidConfiguration(t *testing.T) {
	f := fixture.New(t)
	const (
		base64Form = "must be canonical standard base64, as base64encode() and filebase64() give it: no line breaks, with padding."
		version    = `must be a resourceVersion as an object's metadata has it (a positive whole number), not `
		tooLong    = "must be no more than 253 characters"
		scoped     = `conflict_scope must be "key", or the write that it waits for is a conflict.`
		timeout    = `must be a duration above zero, such as "30s" or "2m", not `
		tooLarge   = "has 1048577 bytes; all values of a ConfigMap must have at most 1048576 together."
	)
	large := `join("", [for _ in range(1024) : ` + fixture.Quoted(strings.Repeat("a", 1024)) + `])`
	rows := []struct {
		argument, value string // of the argument; "": none
		wants           []string
	}{
		{"key", `""`, []string{"Invalid ConfigMap Key", "Attribute key: a valid config key must consist of"}},
		{"key", `"."`, []string{"Invalid ConfigMap Key", "Attribute key: must not be '.'"}},
		{"key", `".."`, []string{"Invalid ConfigMap Key", "Attribute key: must not be '..'"}},
		{"key", `"..a"`, []string{"Invalid ConfigMap Key", "Attribute key: must not start with '..'"}},
		{"key", `"a/b"`, []string{"Invalid ConfigMap Key", "Attribute key: a valid config key must consist of"}},
		{"key", `"é"`, []string{"Invalid ConfigMap Key", "Attribute key: a valid config key must consist of"}},
		{"key", fixture.Quoted(strings.Repeat("k", 254)), []string{"Invalid ConfigMap Key", "Attribute key: " + tooLong}},
		{"name", `"Test_Map"`, []string{"Invalid ConfigMap Name", "Attribute name: a lowercase RFC 1123 subdomain must"}},
		{"name", `""`, []string{"Invalid ConfigMap Name", "Attribute name: a lowercase RFC 1123 subdomain must"}},
		{"name", fixture.Quoted(strings.Repeat("n", 254)), []string{"Invalid ConfigMap Name", "Attribute name: " + tooLong}},
		{"namespace", `"a.b"`, []string{"Invalid Namespace", "Attribute namespace: must not contain dots"}},
		{"namespace", `"A"`, []string{"Invalid Namespace", "Attribute namespace: a lowercase RFC 1123 label must"}},
		{"namespace", `""`, []string{"Invalid Namespace", "Attribute namespace: a lowercase RFC 1123 label must"}},
		{"value", ``, []string{"Invalid Attribute Combination", "[value,value_base64]"}},
		{"value_base64", `"MQ=="`, []string{"Invalid Attribute Combination", "[value,value_base64]"}},
		{"value", `"${` + large + `}a"`, []string{"Value Too Large", "Attribute value: " + tooLarge}},
		{"expected_value", `"${` + large + `}a"`, []string{"Value Too Large", "Attribute expected_value: " + tooLarge}},
		{"only value_base64", `base64encode("${` + large + `}a")`, []string{"Attribute value_base64: " + tooLarge}},
		{"only value_base64", `"MQ"`, []string{"Invalid Base64", "Attribute value_base64: " + base64Form}},
		{"only value_base64", `"MR=="`, []string{"Invalid Base64", "Attribute value_base64: " + base64Form}}, // bits that mean nothing
		{"only value_base64", `"MQ==\n"`, []string{"Invalid Base64", "Attribute value_base64: " + base64Form}},
		{"only value_base64", `"M\nQ=="`, []string{"Invalid Base64", "Attribute value_base64: " + base64Form}},
		{"only value_base64", `"_w=="`, []string{"Invalid Base64", "Attribute value_base64: " + base64Form}},
		{"only value_base64", `"not base64"`, []string{"Invalid Base64", "Attribute value_base64: " + base64Form}},
		{"expected_value_base64", `"MQ"`, []string{"Invalid Base64", "Attribute expected_value_base64: " + base64Form}},
		{"expected_value", "\"1\"\nexpected_value_base64 = \"MQ==\"", []string{"Invalid Attribute Combination", `"expected_value_base64" cannot be specified when "expected_value" is specified`}},
		{"expected_resource_version_wo", `""`, []string{"Invalid Resource Version", "Attribute expected_resource_version_wo: " + version + `""`}},
		{"expected_resource_version_wo", `"0"`, []string{"Invalid Resource Version", "Attribute expected_resource_version_wo: " + version + `"0"`}},
		{"expected_resource_version_wo", `"abc"`, []string{"Invalid Resource Version", "Attribute expected_resource_version_wo: " + version + `"abc"`}},
		{"expected_resource_version_wo", `"-1"`, []string{"Invalid Resource Version", "Attribute expected_resource_version_wo: " + version + `"-1"`}},
		{"expected_resource_version_wo", `"01"`, []string{"Invalid Resource Version", "Attribute expected_resource_version_wo: " + version + `"01"`}},
		{"conflict_scope", `"keys"`, []string{"Invalid Attribute Value Match", `Attribute conflict_scope value must be one of: ["object" "key"], got: "keys"`}},
		{"conflict_scope", `""`, []string{"Invalid Attribute Value Match", `Attribute conflict_scope value must be one of: ["object" "key"], got: ""`}},
		{"deletion_policy", `"keep"`, []string{"Invalid Attribute Value Match", `Attribute deletion_policy value must be one of: ["release" "delete" "restore" "abandon"], got: "keep"`}},
		{"field_manager", `""`, []string{"Attribute field_manager"}},
		{"field_manager", fixture.Quoted(strings.Repeat("m", 129)), []string{"Attribute field_manager"}},
		{"timeouts", `{ create = "soon" }`, []string{"Invalid Timeout", "timeouts.create: " + timeout + `"soon"`}},
		{"timeouts", `{ read = "5" }`, []string{"Invalid Timeout", "timeouts.read: " + timeout + `"5"`}},
		{"timeouts", `{ update = "0s" }`, []string{"Invalid Timeout", "timeouts.update: " + timeout + `"0s"`}},
		{"timeouts", `{ delete = "-1m" }`, []string{"Invalid Timeout", "timeouts.delete: " + timeout + `"-1m"`}},
		{"wait_for_match", "\"2m\"\nconflict_scope = \"object\"", []string{"Invalid Attribute Combination", "Attribute wait_for_match: " + scoped}},
		{"wait_for_match", "\"soon\"\nconflict_scope = \"key\"", []string{"Invalid Timeout", "Attribute wait_for_match: " + timeout + `"soon"`}},
		{"wait_for_match", "\"0s\"\nconflict_scope = \"key\"", []string{"Invalid Timeout", "Attribute wait_for_match: " + timeout + `"0s"`}},
		{"wait_for_match", "\"2m\"\nconflict_scope = \"key\"\nexpected_resource_version_wo = \"7\"", []string{
			"Invalid Attribute Combination", `Attribute "expected_resource_version_wo" cannot be specified when "wait_for_match" is specified`,
		}},
		{"id", `"a/b/c"`, []string{"Invalid Configuration for Read-Only Attribute", "id"}},
	}
	config, wants := "", map[string][]string{}
	for i, row := range rows {
		label := fmt.Sprintf("e%02d", i)
		wants[label] = row.wants
		arguments := map[string]string{"namespace": `"default"`, "name": `"testmap"`, "key": `"foo"`, "value": `"1"`}
		argument, only := strings.CutPrefix(row.argument, "only ")
		if only {
			delete(arguments, "value")
		}
		arguments[argument] = row.value
		config += fmt.Sprintf("resource \"cas_configmap_entry\" %q {\n", label)
		for _, name := range slices.Sorted(maps.Keys(arguments)) {
			if arguments[name] != "" {
				config += name + " = " + arguments[name] + "\n"
			}
		}
		config += "}\n"
	}
	f.RunInvalidBlocks(config, wants)
}
