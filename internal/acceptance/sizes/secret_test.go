package sizes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// Given all that fits into a Secret, and one byte more.
func TestSecretLargeValue(t *testing.T) {
	t.Parallel()
	for form, block := range map[string]func(value string, number int) string{
		"entry": func(value string, number int) string {
			return fixture.SecretEntry(fmt.Sprintf("value_wo = %s", value), fmt.Sprintf("value_wo_version = %d", number))
		},
		"data": func(value string, number int) string {
			return fixture.SecretData(fmt.Sprintf("data_wo = { password = %s }", value), fmt.Sprintf("data_wo_version = %d", number))
		},
		"whole": func(value string, number int) string {
			return fixture.SecretBlock(fmt.Sprintf("data_wo = { password = %s }", value), fmt.Sprintf("data_wo_version = %d", number))
		},
	} {
		t.Run(form, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			if form != "whole" {
				p.CreateSecret("database", nil)
			}
			const oneMiB = 1 << 20
			times := func(character string) string { // a literal of that length takes long to parse
				return `join("", [for _ in range(1024) : ` + fixture.Quoted(strings.Repeat(character, 1024)) + `])`
			}
			p.Planned(block(times("x"), 1))
			p.Planned(block(times("y"), 2))
			if got := p.Password(); got == nil || *got != strings.Repeat("y", oneMiB) {
				t.Error("the Secret does not hold the value")
			}
			p.PlanNothing()
			p.Write(block(`"x${`+times("x")+`}"`, 3))
			p.PlanRefused([]string{"Too Large", "at most 1048576 bytes", "!xxxx"})
			p.Planned("")
		})
	}
}
