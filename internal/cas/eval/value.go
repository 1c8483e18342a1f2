package eval

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Ref names one object. Namespace is empty for a kind without namespaces.
type Ref struct {
	Kind            Kind
	Namespace, Name string
}

func (r Ref) String() string {
	if r.Namespace == "" {
		return r.Name
	}
	return r.Namespace + "/" + r.Name
}

// Noun names the object in an error text.
func (r Ref) Noun() string { return strings.ToLower(r.Kind.String()) + " " + r.String() }

// Value is the content of one key of an object. It is text (data of a ConfigMap, or a field of any kind), bytes
// (binaryData of a ConfigMap, or data of a Secret), another JSON value (a field of any kind, see JSON), or nothing.
// The zero value is the absent value. A key of a ConfigMap is never in both maps: the API server refuses that.
type Value struct {
	kind    valueKind
	content string // the exact bytes
}

type valueKind uint8

const (
	absent valueKind = iota
	text
	binary
	anything
	structured
)

// Text returns a value of data, a label, an annotation, or a field that is text. In a Secret it becomes
// Binary (see Kind.Normalize).
func Text(value string) Value { return Value{text, value} }

// Binary returns a value of binaryData, or of a Secret.
func Binary(value []byte) Value { return Value{binary, string(value)} }

// Bool returns the value of a field that is a bool.
func Bool(value bool) Value { return newValue(value) }

// Anything returns a value that matches every value, the absent one included. It is the expectation of a Txn
// that requires only a version, and replaces a value that a state does not contain.
func Anything() Value { return Value{kind: anything} }

// IsAnything reports whether the value is Anything.
func (e Value) IsAnything() bool { return e.kind == anything }

// IsAbsent reports whether the key is missing.
func (e Value) IsAbsent() bool { return e.kind == absent }

// Text returns the text of a value, and false for a value that is no text.
func (e Value) Text() (string, bool) { return e.content, e.kind == text }

// Binary returns the bytes of an entry of binaryData or of a Secret, and false for any other value.
func (e Value) Binary() ([]byte, bool) { return []byte(e.content), e.kind == binary }

// Raw returns the exact bytes of a value of any kind.
func (e Value) Raw() string { return e.content }

// Size returns the number of bytes that the value adds to its object. The API server counts values only.
func (e Value) Size() int { return len(e.content) }

// Matches reports whether two values count as equal: both are text, both bytes, both JSON or both absent, and
// they have the same bytes or, for text and JSON, the same bytes after Unicode NFC. Anything equals every
// value. Terraform normalizes every string to NFC, so that no configuration can name a text that is not NFC.
// The API server stores texts as they come.
func (e Value) Matches(other Value) bool {
	if e.kind == anything || other.kind == anything {
		return true
	}
	if e.kind != other.kind {
		return false
	}
	return e.content == other.content || e.kind != binary && norm.NFC.String(e.content) == norm.NFC.String(other.content)
}

// Digest returns the hexadecimal SHA-256 of the content, of text and JSON after NFC, with the prefix data:,
// binaryData: or json:, and "absent" for the absent value. Two values other than Anything have the same
// digest if and only if one Matches the other.
func (e Value) Digest() string {
	switch e.kind {
	case text:
		return "data:" + hexSHA256(norm.NFC.Bytes([]byte(e.content)))
	case binary:
		return "binaryData:" + hexSHA256([]byte(e.content))
	case structured:
		return "json:" + hexSHA256(norm.NFC.Bytes([]byte(e.content)))
	default:
		return "absent"
	}
}

func hexSHA256(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// valueJSON is the stored form of a value. Its members are pointers because the empty text is not the absent
// value.
type valueJSON struct {
	Text    *string `json:"text,omitempty"`
	RawText *[]byte `json:"textBase64,omitempty"` // text that is not UTF-8, which a client can write with protobuf
	Binary  *[]byte `json:"base64,omitempty"`
	Value   *string `json:"value,omitempty"` // a JSON value that is no text
	Any     bool    `json:"anything,omitempty"`
}

// MarshalJSON encodes a value as {"text": …}, {"base64": …}, {"value": …} or {"anything": true}, and the
// absent value as {}. Text that is not UTF-8 becomes {"textBase64": …}. UnmarshalJSON restores the same
// bytes.
func (e Value) MarshalJSON() ([]byte, error) {
	var j valueJSON
	switch e.kind {
	case text:
		j.Text = &e.content
		if !utf8.ValidString(e.content) {
			j.Text, j.RawText = nil, new([]byte(e.content))
		}
	case binary:
		j.Binary = new([]byte(e.content))
	case structured:
		j.Value = &e.content
	case anything:
		j.Any = true
	case absent:
	}
	return json.Marshal(j)
}

// UnmarshalJSON decodes the result of MarshalJSON.
func (e *Value) UnmarshalJSON(b []byte) error {
	var j valueJSON
	if err := json.Unmarshal(b, &j); err != nil {
		return err
	}
	switch {
	case j.Text != nil:
		*e = Text(*j.Text)
	case j.RawText != nil:
		*e = Text(string(*j.RawText))
	case j.Binary != nil:
		*e = Binary(*j.Binary)
	case j.Value != nil:
		*e = Value{structured, *j.Value}
	case j.Any:
		*e = Anything()
	default:
		*e = Value{}
	}
	return nil
}
