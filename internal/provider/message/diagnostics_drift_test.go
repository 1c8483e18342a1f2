package message_test

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// driftDiagnosticTests are of values that somebody else changed after the last apply, and of keys that two resources write.
func driftDiagnosticTests(seen *eval.Snapshot) map[string]diagnosticTest {
	const changed = "Value Changed Since Last Apply"
	live, two := eval.Text("live"), eval.Text("2")
	written := eval.Text("1")
	one := []decide.Drift{{Key: "foo", Found: live, ToWrite: two}}
	known := []decide.Drift{{Key: "foo", Written: &written, Found: live, ToWrite: two}}
	several := []decide.Drift{
		{Key: "a", ToWrite: two}, {Key: "foo", Found: live, ToWrite: two},
	}
	whole := []decide.Drift{
		{Key: "foo", Found: live}, {Key: eval.LabelKey("app"), Found: eval.Text("other"), ToWrite: eval.Text("shop")},
	}
	return map[string]diagnosticTest{
		"drift: overwritten": {
			of: aboutFoo(terms.OpUpdate, planning).DriftOverwritten(one, seen), severity: diag.SeverityWarning, summary: changed,
			detail: `
Somebody else changed foo after the last apply. This update overwrites it.

  ConfigMap:   shop/settings
  Key:         foo
  Found:       "live"
  To write:    "2"
  Changed by:  another-writer (last write 2026-07-01T11:59:00Z)

To keep it, set value = "live"; to stop instead of overwriting, set on_drift = "error".`,
		},
		"drift: refused, and it can be acknowledged": {
			of: aboutFoo(terms.OpUpdate, expecting("expected_value")).DriftRefused(known, nil), summary: changed,
			detail: `
Somebody else changed foo after the last apply. on_drift = "error" protects it. Nothing was written.

  ConfigMap:     shop/settings
  Key:           foo
  Last written:  "1"
  Found:         "live"
  To write:      "2"

To keep it, set value = "live"; to overwrite it, set expected_value = "live", or set on_drift = "overwrite" for one apply.`,
		},
		"drift: refused, and it is expected already": {
			of: aboutFoo(terms.OpUpdate, expectingEntry("expected_value", live), warned).DriftRefused(one, nil), severity: diag.SeverityWarning, summary: changed,
			detail: `
Somebody else changed foo after the last apply. on_drift = "error" protects it. The apply will fail unless this changes.

  ConfigMap:  shop/settings
  Key:        foo
  Found:      "live"
  To write:   "2"

To keep it, set value = "live"; to overwrite it, set on_drift = "overwrite" for one apply.`,
		},
		"drift: hidden": {
			of: aboutFoo(terms.OpUpdate, hidden).DriftRefused(known, nil), summary: changed,
			detail: "Somebody else changed foo after the last apply. on_drift = \"error\" protects it. Nothing was written." + `

  ConfigMap:     shop/settings
  Key:           foo
  Last written:  (hidden, 1 bytes, sha256:` + digestOf("1") + `)
  Found:         (hidden, 4 bytes, sha256:` + digestOf("live") + `)
  To write:      (hidden, 1 bytes, sha256:` + digestOf("2") + `)

To keep it, set value to what foo holds; to overwrite it, set expected_value to what foo holds, or set on_drift = "overwrite" for one apply.`,
		},
		"drift: several keys, of which one vanished": {
			of: aboutSeveral(terms.OpUpdate).DriftRefused(several, seen), summary: changed,
			detail: `
Somebody else changed a and foo after the last apply. on_drift = "error" protects them. Nothing was written.

  ConfigMap:   shop/settings
  Key:         a
  Found:       (absent)
  To write:    "2"
  Key:         foo
  Found:       "live"
  To write:    "2"
  Changed by:  another-writer (last write 2026-07-01T11:59:00Z)

To keep them, set data to what the keys hold; to overwrite them, set on_drift = "overwrite" for one apply.`,
		},
		"drift: a whole ConfigMap": {
			of: aboutWhole(terms.OpUpdate).DriftOverwritten(whole, nil), severity: diag.SeverityWarning, summary: changed,
			detail: `
Somebody else changed foo and label app after the last apply. This update overwrites them.

  ConfigMap:  shop/settings
  Key:        foo
  Found:      "live"
  To write:   (absent)
  Label:      app
  Found:      "other"
  To write:   "shop"

To keep them, set data and labels to what the ConfigMap holds; to stop instead of overwriting, set on_drift = "error".`,
		},
		"drift: a ConfigMap that became immutable": {
			of: aboutWhole(terms.OpUpdate).DriftRefused([]decide.Drift{
				whole[0], {Key: eval.ImmutableKey, Found: eval.Bool(true)},
			}, nil), summary: changed,
			detail: `
Somebody else changed foo and immutable after the last apply. on_drift = "error" protects them. Nothing was written.

  ConfigMap:  shop/settings
  Key:        foo
  Found:      "live"
  To write:   (absent)
  Attribute:  immutable
  Found:      true
  To write:   (absent)

The ConfigMap is immutable now, so an update cannot overwrite them. To keep them, set data and immutable to what the ConfigMap holds.`,
		},
		"drift: a key is not removed": {
			of: aboutFoo(terms.OpDelete).RemovalRefused([]decide.Drift{{Key: "foo", Found: live}}, seen), summary: changed,
			detail: `
Somebody else changed foo after the last apply. on_drift = "error" protects it. Nothing was removed.

  ConfigMap:   shop/settings
  Key:         foo
  Found:       "live"
  Changed by:  another-writer (last write 2026-07-01T11:59:00Z)

To remove it, apply on_drift = "overwrite", then plan this again; to leave it in place, set value = "live" and deletion_policy = "abandon", apply, then plan this again.`,
		},
		"written twice": {
			of: aboutSeveral(terms.OpCreate, planning).KeyWrittenTwice([]string{"a"}, false), path: `data["a"]`, summary: "Key Written Twice",
			detail: `
Another resource has a in the same configuration. Nothing was written.

  ConfigMap:  shop/settings
  Key:        a

Leave it to one of the two. If one replaces the other, delete the old block and add a moved block.`,
		},
		"written twice, warned": {
			of: aboutSeveral(terms.OpCreate, warned).KeyWrittenTwice([]string{"a"}, false), severity: diag.SeverityWarning, path: `data["a"]`, summary: "Key Written Twice",
			detail: `
Another resource has a in the same configuration. The apply refuses the second write.

  ConfigMap:  shop/settings
  Key:        a

Leave it to one of the two. If one replaces the other, delete the old block and add a moved block.`,
		},
		"existed before": {
			of: aboutFoo(terms.OpDelete, planning).ExistedBefore([]string{"foo"}), severity: diag.SeverityWarning, summary: "Key Existed Before Terraform",
			detail: `
foo existed before this resource wrote it. This plan deletes it.

  ConfigMap:  shop/settings
  Key:        foo

To put back what it held first, apply deletion_policy = "restore" before the destroy.`,
		},
	}
}
