package secret

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// A key that existed before leaves data_wo. The resource releases the key in the same apply: it stays in the Secret, and
// later applies and the destroy leave the value of its new owner alone. If the configuration names the key again, the
// key is new.
func TestKeptKeyOfSecretDataIsReleased(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.CreateSecret("database", fixture.Data{"b": "0"})
	both := fixture.SecretData(`data_wo = { a = "1", b = "2" }`, `expected_data_wo = { b = "0" }`)
	one := fixture.SecretData(`data_wo = { a = "1" }`)
	p.Planned(both)
	p.Write(one)
	p.Wants(p.Plan(), "Warning: Key Stays In Place", "0 to add, 1 to change, 0 to destroy", "~ keys")
	p.Apply()
	p.PlanNothing()
	wantKeys(p, "a")

	p.Rotate("database", "b", "3") // by the new owner
	p.PlanNothing()
	p.Planned(fixture.SecretData(`data_wo = { a = "2" }`, `data_wo_version = 2`))
	p.WantSecret("database", fixture.Data{"a": "2", "b": "3"})

	p.Write(fixture.SecretData(`data_wo = { a = "2", b = "4" }`, `data_wo_version = 2`))
	p.PlanRefused([]string{"Error: Key Already Exists", "Key: b"})
	p.Planned(fixture.SecretData(`data_wo = { a = "2", b = "4" }`, `data_wo_version = 2`, `expected_data_wo = { b = "3" }`))
	p.WantSecret("database", fixture.Data{"a": "2", "b": "4"})
	p.Destroy()
	p.WantSecret("database", fixture.Data{"b": "4"})
}

func TestAbandonedKeyOfSecretDataIsReleased(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.CreateSecret("database", nil)
	p.Planned(fixture.SecretData(`data_wo = { a = "1", b = "2" }`, `deletion_policy = "abandon"`))
	p.Planned(fixture.SecretData(`data_wo = { a = "1" }`, `deletion_policy = "abandon"`))
	p.PlanNothing()
	wantKeys(p, "a")
	p.Rotate("database", "b", "3")
	p.Planned(fixture.SecretData(`data_wo = { a = "1" }`, fixture.Deletes))
	p.Destroy()
	p.WantSecret("database", fixture.Data{"b": "3"})
}

// With ignore_changes, Terraform plans with a null data_wo. The resource leaves all keys as they are.
func TestIgnoredValuesOfSecretDataPlanNothing(t *testing.T) {
	p := fixture.NewCLIPipeline(t)
	p.CreateSecret("database", nil)
	ignored := func(data string) string {
		return fixture.SecretData(data, "lifecycle {\n    ignore_changes = [data_wo]\n  }")
	}
	p.Planned(ignored(`data_wo = { a = "1", b = "2" }`))
	p.PlanNothing()
	p.Write(ignored(`data_wo = { a = "9" }`))
	p.PlanNothing()
	p.Rotate("database", "b", "3")
	p.PlanNothing()
	wantKeys(p, "a", "b")
	p.WantSecret("database", fixture.Data{"a": "1", "b": "3"})
}

func wantKeys(p *fixture.Pipeline, want ...any) {
	p.Helper()
	if diff := cmp.Diff(want, p.State()["it"].Attributes["keys"]); diff != "" {
		p.Errorf("keys (-want +got):\n%s", diff)
	}
}
