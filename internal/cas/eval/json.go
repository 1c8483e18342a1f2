package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/document"
)

// The value of a field is text or canonical JSON. Canonical JSON has no spaces, sorted members, and one form for each
// number, so that two values are equal if and only if their Values are equal.

var errNull = errors.New("the value is null: leave the member out")

// JSON returns the value of a field with a JSON value other than null; Text for a text. A null within the
// value is only compared: CanSet refuses to write it.
func JSON(raw []byte) (Value, error) {
	v, err := decoded(raw)
	if err == nil {
		v, err = normal(v, "the value", keepsNulls)
	}
	if err == nil && v == nil {
		err = errNull
	}
	if err != nil {
		return Value{}, err
	}
	return newValue(v), nil
}

// JSON returns the value of a field as canonical JSON, and false for an absent value and for bytes.
func (e Value) JSON() (json.RawMessage, bool) {
	if e.kind == text {
		return json.RawMessage(encoded(e.content)), true
	}
	return json.RawMessage(e.content), e.kind == structured
}

// newValue returns the value of a field with a normal value.
func newValue(v any) Value {
	switch v := v.(type) {
	case nil:
		return Value{}
	case string:
		return Text(v)
	case []byte:
		return Binary(v)
	default:
		return Value{structured, encoded(v)}
	}
}

// decode is the inverse of newValue, except that it returns the empty text for an absent value.
func (e Value) decode() any {
	switch e.kind {
	case binary:
		return []byte(e.content)
	case structured:
		v, _ := decoded([]byte(e.content)) // cannot fail: encoded made it
		return v
	default:
		return e.content
	}
}

func decoded(raw []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something after the value")
	}
	return v, nil
}

// encoded returns the JSON of a normal value.
func encoded(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // cannot fail: decoded made the value
	return strings.TrimSuffix(b.String(), "\n")
}

// nulls decides what happens to a null in a value.
type nulls uint8

const (
	// dropsNulls is for objects that were read. Nulls in their lists stay: a patch of one element would drop the null in
	// another one, which canSet must notice.
	dropsNulls nulls = iota
	// keepsNulls is for values to compare.
	keepsNulls
	// refusesNulls is for values to write.
	refusesNulls
)

// normal returns a decoded value with each number in its canonical form. It changes maps and lists in place.
func normal(v any, at string, has nulls) (any, error) {
	switch v := v.(type) {
	case nil:
		if has == refusesNulls {
			return nil, fmt.Errorf("%s is null, which the API server would drop: leave the member out", at)
		}
	case json.Number:
		return number(v)
	case int64: // of metadata that was read as protobuf
		return json.Number(strconv.FormatInt(v, 10)), nil
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			member, err := normal(v[name], "member "+strconv.Quote(name)+" of "+at, has)
			if err != nil {
				return nil, err
			}
			v[name] = member
			if member == nil && (has == dropsNulls || name == "creationTimestamp") { // built-in kinds print that as null
				delete(v, name)
			}
		}
	case []any:
		for i := range v {
			element, err := normal(v[i], fmt.Sprintf("element %d of %s", i, at), max(has, keepsNulls))
			if err != nil {
				return nil, err
			}
			v[i] = element
		}
	}
	return v, nil
}

// hasNull reports whether a value is null or contains a null.
func hasNull(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), hasNull)
	case []any:
		return slices.ContainsFunc(v, hasNull)
	}
	return false
}

// number returns the canonical form of a number, which documents have, too.
func number(n json.Number) (json.Number, error) {
	canonical, isNumber := document.Number(n)
	if !isNumber {
		return "", fmt.Errorf("the number %s is too large", n)
	}
	return canonical, nil
}

// IsSameQuantity reports whether the values of two fields are one quantity in two spellings.
func (e Value) IsSameQuantity(other Value) bool {
	return isSameQuantity(e.decode(), other.decode())
}

// isSameQuantity reports whether two scalars are one quantity in two spellings, such as "1000m" and 1.
func isSameQuantity(a, b any) bool {
	first, isQuantity := quantity(a)
	second, areQuantities := quantity(b)
	return isQuantity && areQuantities && first.Cmp(second) == 0
}

// quantity returns the quantity that a scalar spells. The text "7e2025112", which may be a commit, spells a
// number of two million digits. Such numbers take minutes to compare, and are no quantities.
func quantity(v any) (q resource.Quantity, isQuantity bool) {
	var text string
	switch v := v.(type) {
	case string:
		text = v
	case json.Number:
		text = v.String()
	default:
		return q, false
	}
	if _, exponent, _ := strings.Cut(strings.ToLower(text), "e"); len(exponent) > len("-99") {
		return q, false
	}
	q, err := resource.ParseQuantity(text)
	return q, err == nil
}

// appendParts appends all texts and numbers in a value.
func appendParts(all []Value, v any) []Value {
	switch v := v.(type) {
	case map[string]any:
		for _, member := range v {
			all = appendParts(all, member)
		}
	case []any:
		for _, element := range v {
			all = appendParts(all, element)
		}
	case string:
		all = append(all, Text(v))
	case json.Number:
		all = append(all, Text(v.String()))
	}
	return all
}
