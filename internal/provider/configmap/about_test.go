package configmap

import (
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/keys"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/resource"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Each resource has words of its own in the diagnostics that all share.
func TestResourcesHaveWordsOfTheirOwn(t *testing.T) {
	t.Parallel()
	ref := eval.Ref{Namespace: "shop", Name: "settings"}
	run := &session.Session{}
	object := resource.Named{Namespace: types.StringValue("shop"), Name: types.StringValue("settings")}
	entry := newEntry().About(resource.Call[keys.EntryModel]{Session: run, Model: &keys.EntryModel{
		KeysAttributes: resource.KeysAttributes{Base: resource.Base{Place: resource.Place{Named: object}}},
		Key:            types.StringValue("foo"), ValueBase64: types.StringValue("AQ=="),
	}}, terms.OpCreate)
	data := keys.DataModel{
		KeysAttributes: resource.KeysAttributes{Base: resource.Base{Place: resource.Place{Named: object}}},
		Maps: keys.Maps{
			Data: types.MapValueMust(types.StringType, map[string]attr.Value{"foo": types.StringValue("1")}),
		},
	}
	names := keys.NewData("configmap_data", eval.ConfigMap, dataSchema).
		About(resource.Call[keys.DataModel]{Session: run, Model: &data}, terms.OpCreate)
	ofWhole := keys.NewWhole("configmap", eval.ConfigMap, wholeSchema).About(resource.Call[keys.WholeModel]{
		Session: run, Model: &keys.WholeModel{Base: resource.Base{Place: resource.Place{Named: object}}},
	}, terms.OpUpdate)
	configured := resource.Type{Connection: resource.Connection{Session: run}}
	var numbered counterModel
	numbered.SetRef(ref)
	numbered.Key = types.StringValue("foo")
	counter := (&counterResource{resource.Modeled[counterModel]{Type: configured}}).about(&numbered, terms.OpCreate)
	missing, immutable := &eval.NotFoundError{Ref: ref}, &eval.ImmutableError{Ref: ref}
	forbidden := &eval.ForbiddenError{Ref: ref, Verb: "create", Err: errors.New("no")}
	const one, several = "\n\n  ConfigMap:  shop/settings\n  Key:        foo\n\n", "\n\n  ConfigMap:  shop/settings\n\n"
	for want, got := range map[string]string{
		"One instance removes foo and another one writes it in the same run, in no fixed order. Nothing was written." + one +
			"If the resource has a new address, add a moved block. With count, use for_each over the ConfigMap keys instead. If the plan destroys a deposed object, run terraform state rm with the address above, then import the resource.": entry.KeyMoves([]string{"foo"}, false).Detail(),
		"One instance removes foo and another one writes it in the same run, in no fixed order. Nothing was written." + one +
			`Apply deletion_policy = "abandon" to the resource that gives the key up. Then set adopt_existing = true or expected_data in the one that takes it over. If the plan destroys a deposed object, run terraform state rm with the address above, then import the resource.`: names.KeyMoves([]string{"foo"}, false).Detail(),
		"deletion_policy leaves the key in place, so the new resource would find it taken. Nothing was removed." + one +
			"Change value_base64 instead of replacing the resource.": entry.ReplacesItself(decide.FindReplacesKept).Detail(),
		"The removal comes first, so adopt_existing would find nothing to adopt. Nothing was removed." + several +
			"Change data instead of replacing the resource.": names.ReplacesItself(decide.FindReplacesAdopted).Detail(),
		"The ConfigMap does not exist. Nothing was written." + several + "Run terraform plan again: it plans to create the ConfigMap.": ofWhole.Diagnose(missing).Detail(),
		"The ConfigMap is immutable. Nothing was written." + several + "Run terraform plan again: it plans to replace the ConfigMap.":  ofWhole.Diagnose(immutable).Detail(),
		"You do not have permission to create this ConfigMap. Nothing was written.\n\n  ConfigMap:   shop/settings\n  API server:  no\n\n" +
			"Grant get, create, patch and delete on configmaps in this namespace.": ofWhole.Diagnose(forbidden).Detail(),
		"The ConfigMap is immutable. Nothing was written." + one + "Use a ConfigMap with another name, or delete this one and create it again.": counter.Diagnose(immutable).Detail(),
	} {
		if got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
