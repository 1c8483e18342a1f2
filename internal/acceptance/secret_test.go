package acceptance_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// secretBlock is a resource block of a whole Secret, database, in the fixture's namespace.
func secretBlock(lines ...string) string {
	return "resource \"cas_secret\" \"it\" {\n  namespace = NAMESPACE\n  name = \"database\"\n  " + strings.Join(lines, "\n  ") + "\n}\n"
}

func TestSecretBasic(t *testing.T) {
	p := newPipeline(t)
	p.planned(secretBlock(`data_wo = { user = "u", password = "first" }`, `binary_data_wo = { raw = "/w==" }`, `labels = { app = "shop" }`))
	p.wantSecret("database", data{"user": "u", "password": "first", "raw": "\xff"})
	live := p.liveSecret("database")
	got := p.state()["it"].Attributes
	for attribute, want := range map[string]any{
		"id": p.namespace + "/database", "type": "Opaque", "keys": []any{"password", "raw", "user"}, "data_wo": nil, "binary_data_wo": nil,
		"resource_version": live.ResourceVersion, "uid": string(live.UID),
	} {
		if diff := cmp.Diff(want, got[attribute]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", attribute, diff)
		}
	}
	p.planNothing()

	// Values go by their version, names of keys do not.
	p.write(secretBlock(`data_wo = { user = "u", password = "second" }`, `binary_data_wo = { raw = "/w==" }`, `labels = { app = "shop" }`))
	p.planNothing()
	p.planned(secretBlock(`data_wo = { user = "u", password = "second", more = "m" }`, `labels = { app = "shop" }`))
	p.wantSecret("database", data{"user": "u", "password": "first", "more": "m"})
	p.planNothing()
	p.write(secretBlock(`data_wo = { user = "u", password = "second" }`, `data_wo_version = 2`, `labels = { app = "shop" }`))
	p.plan()
	p.rotate("database", "password", "rotated")
	p.applyRefused("Compare-And-Swap Conflict", "Secret:", "The Secret changed after", " now")
	p.wantSecret("database", data{"user": "u", "password": "rotated", "more": "m"})
	p.wants(p.plan(), "Value Changed Since Last Apply", "Somebody else changed password after the last apply. This update overwrites it.")
	p.apply()
	p.wantSecret("database", data{"user": "u", "password": "second"})
	p.planNothing()

	// A foreign key is drift, and goes.
	p.rotate("database", "foreign", "f")
	p.wants(p.plan(), "Value Changed Since Last Apply", "Somebody else changed foreign")
	p.apply()
	p.wantSecret("database", data{"user": "u", "password": "second"})

	// A rotated value stays until the version changes.
	p.rotate("database", "password", "theirs")
	p.wants(p.planNothing(), "Value Changed Since Last Apply", "This plan leaves it as it is")
	p.write(secretBlock(`data_wo = { user = "u", password = "second" }`, `data_wo_version = 3`, `labels = { app = "shop" }`, `on_drift = "error"`))
	p.planRefused([]string{"Value Changed Since Last Apply", `on_drift = "error" protects it.`})
	p.write(secretBlock(`data_wo = { user = "u", password = "second" }`, `data_wo_version = 2`, `labels = { app = "shop" }`))
	p.destroy()
	if _, there := p.secrets()["database"]; there {
		t.Error("the Secret is still there")
	}
}

func TestSecretTypeAndImmutable(t *testing.T) {
	p := newPipeline(t)
	p.planned(secretBlock(`type = "example.com/x"`, `data_wo = { a = "1" }`, `immutable = true`))
	live := p.liveSecret("database")
	if live.Type != "example.com/x" || live.Immutable == nil || !*live.Immutable {
		t.Errorf("type %s, immutable %v", live.Type, live.Immutable)
	}
	p.planNothing()
	p.write(secretBlock(`type = "example.com/x"`, `data_wo = { a = "2" }`, `data_wo_version = 2`, `immutable = true`))
	p.wants(p.plan(), "must be replaced")
	p.apply()
	p.wantSecret("database", data{"a": "2"})
	if again := p.liveSecret("database"); again.UID == live.UID {
		t.Error("not replaced")
	}
	p.planNothing()
	p.planned(secretBlock(`type = "example.com/y"`, `data_wo = { a = "2" }`, `data_wo_version = 2`, `immutable = true`))
	if live := p.liveSecret("database"); live.Type != "example.com/y" {
		t.Errorf("type %s", live.Type)
	}
}

func TestSecretImport(t *testing.T) {
	p := newPipeline(t)
	p.createSecret("database", data{"a": "1", "b": "2"}, func(s *corev1.Secret) { s.Type = "example.com/x" })
	imported := "import {\n  to = cas_secret.it\n  id = \"${NAMESPACE}/database\"\n}\n"
	p.write(imported + secretBlock(`type = "example.com/x"`, `data_wo = { a = "1" }`))
	p.wants(p.plan(), "Unmanaged Keys Will Change", "b", "(sensitive)", "(absent)")
	p.apply()
	p.wantSecret("database", data{"a": "1"})
	p.planNothing()
}

func TestSecretExists(t *testing.T) {
	p := newPipeline(t)
	p.createSecret("database", data{"a": "1"})
	p.write(secretBlock(`data_wo = { a = "1" }`))
	p.planRefused([]string{"Secret Already Exists", "The Secret already exists.", "Changed by: another-writer"})
}
