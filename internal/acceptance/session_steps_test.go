package acceptance_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
)

// runSteps runs steps on the driver where that can run them.
func runSteps(t *testing.T, test resource.TestCase) {
	t.Helper()
	if drivable(test) {
		drive(t, &kubernetesStandIn{}, test)
		return
	}
	runCLISteps(t, &kubernetesStandIn{}, test)
}

// runCLISteps is resource.Test that does not depend on TF_ACC: the control plane is real and at hand. The stand-in is started where a configuration or
// a state names hashicorp/kubernetes.
func runCLISteps(t *testing.T, kubernetes *kubernetesStandIn, test resource.TestCase) {
	t.Helper()
	test.IsUnitTest = true
	test.ProtoV6ProviderFactories = map[string]func() (tfprotov6.ProviderServer, error){
		"cas":        providerserver.NewProtocol6WithError(newProvider()),
		"kubernetes": providerserver.NewProtocol6WithError(kubernetes),
	}
	resource.Test(t, test)
}

// checked is a step's check that looks at live objects.
func checked(fn func()) resource.TestCheckFunc {
	return func(*terraform.State) error {
		fn()
		return nil
	}
}

// between runs fn between the saved plan and its apply; a ConfigPlanChecks.PreApply check.
func between(fn func()) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{planCheckFunc(fn)}}
}

type planCheckFunc func()

// CheckPlan implements plancheck.PlanCheck.
func (fn planCheckFunc) CheckPlan(context.Context, plancheck.CheckPlanRequest, *plancheck.CheckPlanResponse) {
	fn()
}

// drive runs steps as resource.Test does, on the protocol driver: plan, checks of the plan, apply, checks; then a plan without and one
// with a refresh, which must have no changes; and in the end a destroy.
func drive(t *testing.T, kubernetes *kubernetesStandIn, test resource.TestCase) {
	t.Helper()
	test.TerraformVersionChecks = nil // the driver is none of the versions that they skip
	if !drivable(test) {
		t.Fatal("the driver does not know all that the test asks for")
	}
	s := newSession(t)
	s.w.Providers["kubernetes"] = kubernetes.start
	defer func() {
		if len(s.w.Objects()) == 0 {
			return
		}
		if r := s.Destroy("-refresh=false"); r.ExitCode != 0 {
			t.Errorf("Error running post-test destroy, there may be dangling resources: %s", r.Stdout)
		}
	}()
	for i, step := range test.Steps {
		if step.PreConfig != nil {
			step.PreConfig()
		}
		err := s.step(step)
		switch {
		case step.ExpectError != nil && err == nil:
			t.Fatalf("Step %d/%d, expected an error but got none", i+1, len(test.Steps))
		case step.ExpectError != nil:
			if !step.ExpectError.MatchString(err.Error()) {
				t.Fatalf("Step %d/%d, expected an error with pattern, no match on: %s", i+1, len(test.Steps), err)
			}
			continue
		}
		if err != nil && test.ErrorCheck != nil {
			err = test.ErrorCheck(err)
		}
		if err != nil {
			t.Fatalf("Step %d/%d error: %s", i+1, len(test.Steps), err)
		}
	}
}

// drivable reports whether the driver knows all that the test asks for.
func drivable(test resource.TestCase) bool {
	return len(test.TerraformVersionChecks) == 0 && !slices.ContainsFunc(test.Steps, func(step resource.TestStep) bool {
		if strings.Contains(step.Config, "path.module") {
			return true
		}
		step.Config, step.PreConfig, step.PostApplyFunc, step.Destroy = "", nil, nil, false
		step.Check, step.ConfigStateChecks, step.ConfigPlanChecks = nil, nil, resource.ConfigPlanChecks{}
		step.ExpectError, step.ExpectNonEmptyPlan, step.PlanOnly = nil, false, false
		return !reflect.ValueOf(step).IsZero()
	})
}

func (s *session) step(step resource.TestStep) error {
	s.Helper()
	s.w.Write(step.Config)
	options := s.options(nil)
	options.Destroy = step.Destroy
	failed := func(what string, r *driver.Result) error {
		var errs driver.Diagnostics
		for _, d := range r.Diagnostics {
			if d.IsError {
				errs = append(errs, d)
			}
		}
		return fmt.Errorf("Error running %s: exit status 1\n%s", what, errs)
	}
	if !step.PlanOnly {
		planned := s.w.MakePlan(s.ctx, options)
		if planned.Plan == nil {
			return failed("pre-apply plan", planned)
		}
		if err := s.checkPlan(planned.Plan, step.ConfigPlanChecks.PreApply); err != nil {
			return fmt.Errorf("Pre-apply plan check(s) failed:\n%w", err)
		}
		if applied := s.w.Apply(s.ctx, planned.Plan); applied.ExitCode != 0 {
			return failed("apply", applied)
		}
		if step.Check != nil {
			if err := step.Check(s.legacyState()); err != nil {
				return fmt.Errorf("Check failed: %w", err)
			}
		}
		state := s.jsonState()
		for _, check := range step.ConfigStateChecks {
			resp := statecheck.CheckStateResponse{}
			check.CheckState(s.ctx, statecheck.CheckStateRequest{State: state}, &resp)
			if resp.Error != nil {
				return fmt.Errorf("Post-apply state check(s) failed:\n%w", resp.Error)
			}
		}
	}
	for _, refresh := range []bool{false, true} {
		options.NoRefresh = !refresh
		again := s.w.MakePlan(s.ctx, options)
		if again.Plan == nil {
			return failed("plan", again)
		}
		checks := step.ConfigPlanChecks.PostApplyPreRefresh
		if refresh {
			checks = step.ConfigPlanChecks.PostApplyPostRefresh
		}
		if err := s.checkPlan(again.Plan, checks); err != nil {
			return err
		}
		if again.Plan.HasChanges() && !step.ExpectNonEmptyPlan {
			return fmt.Errorf("After applying this test step, the plan (refresh: %v) was not empty.\n%s", refresh, again)
		}
	}
	if step.PostApplyFunc != nil {
		step.PostApplyFunc()
	}
	return nil
}

func (s *session) checkPlan(p *driver.Plan, checks []plancheck.PlanCheck) error {
	var all []error
	plan := jsonPlan(p)
	for _, check := range checks {
		resp := plancheck.CheckPlanResponse{}
		check.CheckPlan(s.ctx, plancheck.CheckPlanRequest{Plan: plan}, &resp)
		all = append(all, resp.Error)
	}
	return errors.Join(all...)
}

// jsonPlan is what terraform show -json prints of a plan, as far as checks look.
func jsonPlan(p *driver.Plan) *tfjson.Plan {
	plan := &tfjson.Plan{}
	actions := map[driver.Action]tfjson.Actions{
		driver.NoOp: {tfjson.ActionNoop}, driver.Create: {tfjson.ActionCreate}, driver.Read: {tfjson.ActionRead}, driver.Update: {tfjson.ActionUpdate},
		driver.Delete: {tfjson.ActionDelete}, driver.DeleteThenCreate: {tfjson.ActionDelete, tfjson.ActionCreate},
		driver.CreateThenDelete: {tfjson.ActionCreate, tfjson.ActionDelete},
	}
	for _, c := range p.Changes {
		typ, name := splitAddress(c.Address)
		after, unknown := jsonValue(c.After)
		before, _ := jsonValue(c.Before)
		change := &tfjson.ResourceChange{Address: c.Address, Mode: tfjson.ManagedResourceMode, Type: typ, Name: name, Change: &tfjson.Change{
			Actions: actions[c.Action], Before: before, After: after, AfterUnknown: unknown,
		}}
		plan.ResourceChanges = append(plan.ResourceChanges, change)
	}
	return plan
}

func splitAddress(address string) (typ, name string) {
	typ, name, _ = strings.Cut(strings.TrimPrefix(address, "data."), ".")
	name, _, _ = strings.Cut(name, "[")
	return typ, name
}

// jsonValue is a value as JSON has it, and what of it is unknown.
func jsonValue(v cty.Value) (known, unknown any) {
	switch {
	case v == cty.NilVal || v.IsNull() && v.IsKnown():
		return nil, false
	case !v.IsKnown():
		return nil, true
	case v.Type().IsObjectType() || v.Type().IsMapType():
		all, not := map[string]any{}, map[string]any{}
		for name, element := range v.AsValueMap() {
			known, unknown := jsonValue(element)
			if unknown == true {
				not[name] = true
				continue
			}
			all[name] = known
		}
		return all, not
	case v.Type().IsListType():
		all, not := []any{}, []any{}
		for _, element := range v.AsValueSlice() {
			known, unknown := jsonValue(element)
			all, not = append(all, known), append(not, unknown)
		}
		return all, not
	default:
		raw, err := ctyjson.Marshal(v, v.Type())
		if err != nil {
			panic(err)
		}
		var decoded any
		d := json.NewDecoder(strings.NewReader(string(raw)))
		d.UseNumber()
		if err := d.Decode(&decoded); err != nil {
			panic(err)
		}
		return decoded, false
	}
}

// jsonState is what terraform show -json prints of the state.
func (s *session) jsonState() *tfjson.State {
	root := &tfjson.StateModule{}
	for _, o := range s.w.Objects() {
		typ, name := splitAddress(o.Address)
		known, _ := jsonValue(o.Value)
		values, _ := known.(map[string]any)
		root.Resources = append(root.Resources, &tfjson.StateResource{
			Address: o.Address, Mode: tfjson.ManagedResourceMode, Type: typ, Name: name, AttributeValues: values, Tainted: o.Tainted,
		})
	}
	for address, v := range s.w.Data() {
		typ, name := splitAddress(address)
		known, _ := jsonValue(v)
		values, _ := known.(map[string]any)
		root.Resources = append(root.Resources, &tfjson.StateResource{
			Address: address, Mode: tfjson.DataResourceMode, Type: typ, Name: name, AttributeValues: values,
		})
	}
	outputs := map[string]*tfjson.StateOutput{}
	for name, v := range s.w.Outputs() {
		known, _ := jsonValue(v)
		outputs[name] = &tfjson.StateOutput{Value: known, Type: v.Type()}
	}
	return &tfjson.State{Values: &tfjson.StateValues{RootModule: root, Outputs: outputs}}
}

// legacyState is the state in the form that checks of one attribute go by.
func (s *session) legacyState() *terraform.State {
	module := &terraform.ModuleState{Path: []string{"root"}, Resources: map[string]*terraform.ResourceState{}, Outputs: map[string]*terraform.OutputState{}}
	for _, o := range s.w.Objects() {
		if o.Deposed != "" {
			continue
		}
		attributes := map[string]string{}
		known, _ := jsonValue(o.Value)
		flatten(attributes, "", known)
		address := strings.NewReplacer(`["`, ".", `"]`, "", "[", ".", "]", "").Replace(o.Address)
		module.Resources[address] = &terraform.ResourceState{
			Type: o.Type, Primary: &terraform.InstanceState{ID: attributes["id"], Attributes: attributes, Tainted: o.Tainted},
		}
	}
	for address, v := range s.w.Data() {
		attributes := map[string]string{}
		known, _ := jsonValue(v)
		flatten(attributes, "", known)
		module.Resources[address] = &terraform.ResourceState{Primary: &terraform.InstanceState{ID: attributes["id"], Attributes: attributes}}
	}
	for name, v := range s.w.Outputs() {
		known, _ := jsonValue(v)
		module.Outputs[name] = &terraform.OutputState{Type: "string", Value: fmt.Sprint(known)}
	}
	return &terraform.State{Version: 3, Modules: []*terraform.ModuleState{module}}
}

func flatten(into map[string]string, name string, v any) {
	under := func(key string) string { return strings.TrimPrefix(name+"."+key, ".") }
	switch v := v.(type) {
	case nil:
	case map[string]any:
		if name != "" {
			into[under("%")] = fmt.Sprint(len(v))
		}
		for key, element := range v {
			flatten(into, under(key), element)
		}
	case []any:
		into[under("#")] = fmt.Sprint(len(v))
		for i, element := range v {
			flatten(into, under(fmt.Sprint(i)), element)
		}
	default:
		into[name] = fmt.Sprint(v)
	}
}
