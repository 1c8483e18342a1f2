package secret

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestSecretBasic(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Planned(fixture.SecretBlock(`data_wo = { user = "u", password = "first" }`, `binary_data_wo = { raw = "/w==" }`, `labels = { app = "shop" }`))
	p.WantSecret("database", fixture.Data{"user": "u", "password": "first", "raw": "\xff"})
	live := p.LiveSecret("database")
	got := p.State()["it"].Attributes
	for attribute, want := range map[string]any{
		"id": p.Namespace + "/database", "type": "Opaque", "keys": []any{"password", "raw", "user"}, "data_wo": nil, "binary_data_wo": nil,
		"resource_version": live.ResourceVersion, "uid": string(live.UID),
	} {
		if diff := cmp.Diff(want, got[attribute]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", attribute, diff)
		}
	}
	p.PlanNothing()

	// Values go by their version, names of keys do not.
	p.Write(fixture.SecretBlock(`data_wo = { user = "u", password = "second" }`, `binary_data_wo = { raw = "/w==" }`, `labels = { app = "shop" }`))
	p.PlanNothing()
	p.Planned(fixture.SecretBlock(`data_wo = { user = "u", password = "second", more = "m" }`, `labels = { app = "shop" }`))
	p.WantSecret("database", fixture.Data{"user": "u", "password": "first", "more": "m"})
	p.PlanNothing()
	p.Write(fixture.SecretBlock(`data_wo = { user = "u", password = "second" }`, `data_wo_version = 2`, `labels = { app = "shop" }`, fixture.Overwrites))
	p.Plan()
	p.Rotate("database", "password", "rotated")
	p.ApplyRefused("Compare-And-Swap Conflict", "Secret:", "The Secret changed after", " now")
	p.WantSecret("database", fixture.Data{"user": "u", "password": "rotated", "more": "m"})
	p.Wants(p.Plan(), "Value Changed Since Last Apply", "Somebody else changed password after the last apply. This update overwrites it.")
	p.Apply()
	p.WantSecret("database", fixture.Data{"user": "u", "password": "second"})
	p.PlanNothing()

	// A key of another writer is drift, and is removed.
	p.Rotate("database", "foreign", "f")
	p.Wants(p.Plan(), "Value Changed Since Last Apply", "Somebody else changed foreign")
	p.Apply()
	p.WantSecret("database", fixture.Data{"user": "u", "password": "second"})

	// A rotated value stays until the version changes.
	p.Rotate("database", "password", "theirs")
	p.Wants(p.PlanNothing(), "Value Changed Since Last Apply", "This plan leaves it as it is")
	p.Write(fixture.SecretBlock(`data_wo = { user = "u", password = "second" }`, `data_wo_version = 3`, `labels = { app = "shop" }`))
	p.PlanRefused([]string{"Value Changed Since Last Apply", `on_drift = "error" protects it.`})
	p.Planned(fixture.SecretBlock(fixture.Deletes, `data_wo = { user = "u", password = "second" }`, `data_wo_version = 2`, `labels = { app = "shop" }`))
	p.Destroy()
	if _, there := p.Secrets()["database"]; there {
		t.Error("the Secret is still there")
	}
}

func TestSecretTypeAndImmutable(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Planned(fixture.SecretBlock(`type = "example.com/x"`, `data_wo = { a = "1" }`, `immutable = true`))
	live := p.LiveSecret("database")
	if live.Type != "example.com/x" || live.Immutable == nil || !*live.Immutable {
		t.Errorf("type %s, immutable %v", live.Type, live.Immutable)
	}
	p.PlanNothing()
	p.Write(fixture.SecretBlock(`type = "example.com/x"`, `data_wo = { a = "2" }`, `data_wo_version = 2`, `immutable = true`))
	p.Wants(p.Plan(), "must be replaced")
	p.Apply()
	p.WantSecret("database", fixture.Data{"a": "2"})
	if again := p.LiveSecret("database"); again.UID == live.UID {
		t.Error("not replaced")
	}
	p.PlanNothing()
	p.Planned(fixture.SecretBlock(`type = "example.com/y"`, `data_wo = { a = "2" }`, `data_wo_version = 2`, `immutable = true`))
	if live := p.LiveSecret("database"); live.Type != "example.com/y" {
		t.Errorf("type %s", live.Type)
	}
}

func TestSecretImport(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.CreateSecret("database", fixture.Data{"a": "1", "b": "2"}, func(s *corev1.Secret) { s.Type = "example.com/x" })
	imported := "import {\n  to = cas_secret.it\n  id = \"${NAMESPACE}/database\"\n}\n"
	p.Write(imported + fixture.SecretBlock(`type = "example.com/x"`, `data_wo = { a = "1" }`))
	p.PlanRefused([]string{"Key Already Exists", "Key: b", "Found: (sensitive)", "To keep it, set data_wo"})
	p.Write(imported + fixture.SecretBlock(`type = "example.com/x"`, `data_wo = { a = "1", b = "2" }`))
	p.PlanApply()
	p.WantSecret("database", fixture.Data{"a": "1", "b": "2"})
	p.PlanNothing()
}

func TestSecretExists(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.CreateSecret("database", fixture.Data{"a": "1"})
	p.Write(fixture.SecretBlock(`data_wo = { a = "1" }`))
	p.PlanRefused([]string{"Secret Already Exists", "The Secret already exists.", "Changed by: another-writer"})
}
