package secret

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// Given base64 with a line break, as the command base64 prints it; then it is refused as for a ConfigMap, also where only the apply knows it.
func TestBase64OfASecretHasNoLineBreaks(t *testing.T) {
	for what, block := range map[string]func(value string) string{
		"value_base64_wo": func(v string) string { return fixture.SecretEntry("value_base64_wo = " + v) },
		"expected_value_base64_wo": func(v string) string {
			return fixture.SecretEntry(`value_wo = "2"`, "expected_value_base64_wo = "+v)
		},
		"binary_data_wo": func(v string) string { return fixture.SecretData("binary_data_wo = { a = " + v + " }") },
		"expected_binary_data_wo": func(v string) string {
			return fixture.SecretData(`data_wo = { a = "2" }`, "expected_binary_data_wo = { a = "+v+" }")
		},
		"binary_data_wo of a whole Secret": func(v string) string {
			return fixture.SecretBlock("binary_data_wo = { a = "+v+" }", "immutable = true")
		},
	} {
		for name, value := range map[string]string{"at the end": "MQ==\n", "within": "M\nQ==", "of Windows": "MQ==\r\n"} {
			t.Run(what+"/"+name, func(t *testing.T) {
				p := fixture.NewPipeline(t)
				attribute, _, _ := strings.Cut(what, " ")
				refused := []string{"Error: Invalid Base64", "Attribute " + attribute, "must be canonical standard base64", "no line breaks", "!MQ=="}
				p.Write(block(fixture.Quoted(value)))
				p.PlanRefused(refused)
			})
		}
		t.Run(what+"/known at apply", func(t *testing.T) {
			p := fixture.NewPipeline(t)
			if !strings.Contains(what, "whole") {
				p.CreateSecret("database", nil)
			}
			p.Write(fmt.Sprintf("resource \"terraform_data\" \"later\" {\n  input = %s\n}\n", fixture.Quoted("MQ==\n")) + block("terraform_data.later.output"))
			p.Plan()
			p.ApplyRefused("Error: Invalid Base64", "!MQ==")
		})
	}
}
