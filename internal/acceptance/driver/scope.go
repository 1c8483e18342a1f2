package driver

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// scope has the values that expressions can refer to.
type scope struct {
	config *configuration
	// values of blocks that are known by now, by address.
	values map[string]cty.Value
}

// context returns the values for the expressions of a block instance. each and count may be cty.NilVal.
func (s *scope) context(extra map[string]cty.Value) *hcl.EvalContext {
	roots := map[string]map[string]cty.Value{}
	data := map[string]map[string]cty.Value{}
	for address, v := range s.values {
		parts := strings.Split(address, ".")
		in := roots
		if parts[0] == "data" {
			in, parts = data, parts[1:]
		}
		if in[parts[0]] == nil {
			in[parts[0]] = map[string]cty.Value{}
		}
		in[parts[0]][parts[1]] = v
	}
	ctx := &hcl.EvalContext{Variables: map[string]cty.Value{}, Functions: functions}
	for name, values := range roots {
		ctx.Variables[name] = cty.ObjectVal(values)
	}
	all := map[string]cty.Value{}
	for name, values := range data {
		all[name] = cty.ObjectVal(values)
	}
	ctx.Variables["data"] = cty.ObjectVal(all)
	ctx.Variables["var"] = cty.ObjectVal(s.config.variables)
	maps.Copy(ctx.Variables, extra)
	locals := map[string]cty.Value{}
	for range s.config.locals { // each round gives those a value that need the ones before
		for name, e := range s.config.locals {
			if _, done := locals[name]; done {
				continue
			}
			ctx.Variables["local"] = cty.ObjectVal(locals)
			if v, diags := e.Value(ctx); !diags.HasErrors() {
				locals[name] = v
			}
		}
	}
	ctx.Variables["local"] = cty.ObjectVal(locals)
	return ctx
}

var functions = map[string]function.Function{
	"can": tryfunc.CanFunc, "try": tryfunc.TryFunc,
	"chomp": stdlib.ChompFunc, "coalesce": stdlib.CoalesceFunc, "concat": stdlib.ConcatFunc, "contains": stdlib.ContainsFunc, "format": stdlib.FormatFunc,
	"join": stdlib.JoinFunc, "jsondecode": stdlib.JSONDecodeFunc, "jsonencode": stdlib.JSONEncodeFunc, "keys": stdlib.KeysFunc,
	"length": stdlib.LengthFunc, "lookup": stdlib.LookupFunc, "merge": stdlib.MergeFunc, "range": stdlib.RangeFunc, "split": stdlib.SplitFunc,
	"replace": stdlib.ReplaceFunc, "trim": stdlib.TrimFunc, "upper": stdlib.UpperFunc, "values": stdlib.ValuesFunc, "zipmap": stdlib.ZipmapFunc,
	"tostring": stdlib.MakeToFunc(cty.String), "tonumber": stdlib.MakeToFunc(cty.Number), "tobool": stdlib.MakeToFunc(cty.Bool),
	"toset": stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)), "tomap": stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType)),
	"tolist":       stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)),
	"base64encode": text(func(s string) (string, error) { return base64.StdEncoding.EncodeToString([]byte(s)), nil }),
	"base64decode": text(func(s string) (string, error) {
		raw, err := base64.StdEncoding.DecodeString(s)
		return string(raw), err
	}),
	"base64gzip": text(func(s string) (string, error) {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		_, err := io.WriteString(w, s)
		err = errors.Join(err, w.Close())
		return base64.StdEncoding.EncodeToString(packed.Bytes()), err
	}),
}

func text(f func(string) (string, error)) function.Function {
	return function.New(&function.Spec{
		Params: []function.Parameter{{Name: "str", Type: cty.String}},
		Type:   function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			s, err := f(args[0].AsString())
			return cty.StringVal(s), err
		},
	})
}

// instanceKey returns the key of an instance in its address.
func instanceKey(key cty.Value) string {
	switch {
	case key == cty.NilVal:
		return ""
	case key.Type() == cty.String:
		return fmt.Sprintf("[%q]", key.AsString())
	default:
		return fmt.Sprintf("[%s]", key.AsBigFloat().Text('f', 0))
	}
}

// instance is one of a block's instances.
type instance struct {
	*block

	key       cty.Value // cty.NilVal where there is but one
	extra     map[string]cty.Value
	sensitive map[string]bool // arguments, once they are evaluated
}

func (i *instance) name() string { return i.address + instanceKey(i.key) }

// expand gives the instances of a block.
func (s *scope) expand(b *block) ([]*instance, hcl.Diagnostics) {
	switch {
	case b.count != nil:
		v, diags := b.count.Value(s.context(nil))
		if diags.HasErrors() {
			return nil, diags
		}
		n, _ := v.AsBigFloat().Int64()
		all := make([]*instance, n)
		for i := range all {
			key := cty.NumberIntVal(int64(i))
			all[i] = &instance{block: b, key: key, extra: map[string]cty.Value{"count": cty.ObjectVal(map[string]cty.Value{"index": key})}}
		}
		return all, nil
	case b.forEach != nil:
		v, diags := b.forEach.Value(s.context(nil))
		if diags.HasErrors() {
			return nil, diags
		}
		var all []*instance
		for it := v.ElementIterator(); it.Next(); {
			key, value := it.Element()
			if v.Type().IsSetType() {
				key = value
			}
			all = append(all, &instance{block: b, key: key, extra: map[string]cty.Value{"each": cty.ObjectVal(map[string]cty.Value{"key": key, "value": value})}})
		}
		return all, nil
	default:
		return []*instance{{block: b}}, nil
	}
}

// together returns the value of a reference to a block: the values of its instances, by key.
func together(b *block, instances []*instance, values []cty.Value) cty.Value {
	switch {
	case b.count != nil:
		return cty.TupleVal(values)
	case b.forEach != nil:
		all := map[string]cty.Value{}
		for i, in := range instances {
			all[in.key.AsString()] = values[i]
		}
		return cty.ObjectVal(all)
	default:
		return values[0]
	}
}
