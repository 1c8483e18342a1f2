package driver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// block is a resource, data source, output or provider block.
type block struct {
	address     string // without an instance key
	kind        string // resource or data
	typ         string
	rng         hcl.Range
	body        hcl.Body // without meta-arguments
	count       hcl.Expression
	forEach     hcl.Expression
	dependsOn   []string
	createFirst bool   // create_before_destroy
	provider    string // cas, or cas.alias
	references  []string
	// needs is references, and those of its provider's configuration.
	needs []string
}

// configuration is a module.
type configuration struct {
	source    []byte
	blocks    map[string]*block // by address
	providers map[string]*block // by configuration
	locals    map[string]hcl.Expression
	variables map[string]cty.Value
	declared  map[string]hcl.Expression // variables' defaults; nil: none
	sensitive map[string]bool           // variables
	ephemeral map[string]bool           // variables, which an apply is given again
	outputs   map[string]hcl.Expression
	moved     []moved
	imports   []importing
}

type moved struct{ from, to string }

type importing struct {
	to string
	id hcl.Expression
	// identity, where id is nil.
	identity hcl.Expression
}

var metaSchema = &hcl.BodySchema{
	Attributes: []hcl.AttributeSchema{{Name: "count"}, {Name: "for_each"}, {Name: "depends_on"}, {Name: "provider"}},
	Blocks:     []hcl.BlockHeaderSchema{{Type: "lifecycle"}},
}

// parse reads a module of one file.
func parse(source string) (*configuration, hcl.Diagnostics) {
	c := &configuration{
		source: []byte(source), blocks: map[string]*block{}, providers: map[string]*block{}, locals: map[string]hcl.Expression{},
		variables: map[string]cty.Value{}, declared: map[string]hcl.Expression{}, sensitive: map[string]bool{}, ephemeral: map[string]bool{}, outputs: map[string]hcl.Expression{},
	}
	file, diags := hclsyntax.ParseConfig(c.source, "main.tf", hcl.InitialPos)
	if diags.HasErrors() {
		return c, diags
	}
	body, ok := file.Body.(*hclsyntax.Body)
	if !ok {
		panic("not the native syntax")
	}
	for _, b := range body.Blocks {
		diags = append(diags, c.add(b)...)
	}
	for _, b := range c.blocks {
		c.refer(b)
	}
	for _, b := range c.providers {
		c.refer(b)
	}
	for _, b := range c.blocks {
		c.need(b)
	}
	return c, diags
}

func (c *configuration) add(b *hclsyntax.Block) hcl.Diagnostics {
	switch b.Type {
	case "terraform":
	case "locals":
		for name, a := range b.Body.Attributes {
			c.locals[name] = a.Expr
		}
	case "variable":
		c.declared[b.Labels[0]] = nil
		if a := b.Body.Attributes["default"]; a != nil {
			c.declared[b.Labels[0]] = a.Expr
		}
		for name, is := range map[string]map[string]bool{"sensitive": c.sensitive, "ephemeral": c.ephemeral} {
			if a := b.Body.Attributes[name]; a != nil {
				v, diags := a.Expr.Value(nil)
				if is[b.Labels[0]] = v.True(); diags.HasErrors() {
					return diags
				}
			}
		}
	case "output":
		c.outputs[b.Labels[0]] = b.Body.Attributes["value"].Expr
	case "moved":
		c.moved = append(c.moved, moved{addressOf(b.Body.Attributes["from"].Expr), addressOf(b.Body.Attributes["to"].Expr)})
	case "import":
		i := importing{to: addressOf(b.Body.Attributes["to"].Expr)}
		if a := b.Body.Attributes["id"]; a != nil {
			i.id = a.Expr
		}
		if a := b.Body.Attributes["identity"]; a != nil {
			i.identity = a.Expr
		}
		c.imports = append(c.imports, i)
	case "provider":
		content, remain, diags := b.Body.PartialContent(&hcl.BodySchema{Attributes: []hcl.AttributeSchema{{Name: "alias"}}})
		name := b.Labels[0]
		if a := content.Attributes["alias"]; a != nil {
			alias, more := a.Expr.Value(nil)
			diags = append(diags, more...)
			name += "." + alias.AsString()
		}
		c.providers[name] = &block{address: name, kind: "provider", typ: b.Labels[0], body: remain, rng: b.DefRange()}
		return diags
	case "resource", "data":
		return c.addResource(b)
	default:
		panic("the driver does not know this block: " + b.Type)
	}
	return nil
}

func (c *configuration) addResource(b *hclsyntax.Block) hcl.Diagnostics {
	content, remain, diags := b.Body.PartialContent(metaSchema)
	r := &block{kind: b.Type, typ: b.Labels[0], address: b.Labels[0] + "." + b.Labels[1], body: remain, rng: b.DefRange()}
	if b.Type == "data" {
		r.address = "data." + r.address
	}
	r.provider, _, _ = strings.Cut(r.typ, "_")
	for name, a := range content.Attributes {
		switch name {
		case "count":
			r.count = a.Expr
		case "for_each":
			r.forEach = a.Expr
		case "provider":
			r.provider = addressOf(a.Expr)
		case "depends_on":
			for _, t := range a.Expr.Variables() {
				r.dependsOn = append(r.dependsOn, referenceOf(t))
			}
		}
	}
	for _, l := range content.Blocks {
		attributes, more := l.Body.JustAttributes()
		diags = append(diags, more...)
		for name, a := range attributes {
			if name != "create_before_destroy" {
				panic("the driver does not know this of lifecycle: " + name)
			}
			v, more := a.Expr.Value(nil)
			diags = append(diags, more...)
			r.createFirst = v.True()
		}
	}
	c.blocks[r.address] = r
	return diags
}

// addressOf is a reference as it is written.
func addressOf(e hcl.Expression) string {
	t, diags := hcl.AbsTraversalForExpr(e)
	if diags.HasErrors() {
		panic(diags.Error())
	}
	var b strings.Builder
	for i, step := range t {
		switch step := step.(type) {
		case hcl.TraverseRoot:
			b.WriteString(step.Name)
		case hcl.TraverseAttr:
			b.WriteString("." + step.Name)
		case hcl.TraverseIndex:
			b.WriteString(instanceKey(step.Key))
		default:
			panic(fmt.Sprint("step ", i))
		}
	}
	return b.String()
}

// referenceOf is the address of the block that a traversal goes into, or local.NAME, or something that is no block.
func referenceOf(t hcl.Traversal) string {
	root, n := t.RootName(), 2
	if root == "data" {
		n = 3
	}
	parts := []string{root}
	for _, step := range t[1:min(n, len(t))] {
		if a, ok := step.(hcl.TraverseAttr); ok {
			parts = append(parts, a.Name)
		}
	}
	return strings.Join(parts, ".")
}

// refer finds the blocks that a block refers to, through locals too.
func (c *configuration) refer(b *block) {
	found := map[string]bool{}
	var follow func(reference string)
	followAll := func(traversals []hcl.Traversal) {
		for _, t := range traversals {
			follow(referenceOf(t))
		}
	}
	follow = func(reference string) {
		if found[reference] {
			return
		}
		found[reference] = true
		if name, isLocal := strings.CutPrefix(reference, "local."); isLocal && c.locals[name] != nil {
			followAll(c.locals[name].Variables())
		}
	}
	for _, e := range []hcl.Expression{b.count, b.forEach} {
		if e != nil {
			followAll(e.Variables())
		}
	}
	if body, ok := b.body.(*hclsyntax.Body); ok {
		followAll(variablesOf(body))
	} else {
		panic(fmt.Sprintf("a body of another kind: %T", b.body))
	}
	for _, d := range b.dependsOn {
		follow(d)
	}
	for reference := range found {
		if c.blocks[reference] != nil && reference != b.address {
			b.references = append(b.references, reference)
		}
	}
	slices.Sort(b.references)
	b.references = slices.Compact(b.references)
}

// need adds what a block's provider refers to.
func (c *configuration) need(b *block) {
	b.needs = slices.Clone(b.references)
	if p := c.providers[b.provider]; p != nil {
		b.needs = append(b.needs, p.references...)
	}
	slices.Sort(b.needs)
	b.needs = slices.Compact(b.needs)
}

func variablesOf(body *hclsyntax.Body) (all []hcl.Traversal) {
	for _, a := range body.Attributes {
		all = append(all, a.Expr.Variables()...)
	}
	for _, b := range body.Blocks {
		all = append(all, variablesOf(b.Body)...)
	}
	return all
}

// setVariables gives variables their values; all that are given must be declared.
func (c *configuration) setVariables(given map[string]string) hcl.Diagnostics {
	var diags hcl.Diagnostics
	for name, e := range c.declared {
		value, isGiven := given[name]
		switch {
		case isGiven && (value == "true" || value == "false"):
			c.variables[name] = cty.BoolVal(value == "true")
		case isGiven:
			c.variables[name] = cty.StringVal(value)
		case e != nil:
			v, more := e.Value(nil)
			diags = append(diags, more...)
			c.variables[name] = v
		default:
			diags = append(diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "No value for required variable", Detail: name})
		}
		if c.sensitive[name] && !diags.HasErrors() {
			c.variables[name] = c.variables[name].Mark("sensitive")
		}
	}
	return diags
}
