package judging

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Ref names one object. Namespace is empty where its kind has none.
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

// Noun is the object in an error text.
func (r Ref) Noun() string { return strings.ToLower(r.Kind.String()) + " " + r.String() }

// Entry is what one key of an object holds: text (from data of a ConfigMap, or a field of any kind), bytes (from binaryData, or from data of a
// Secret), another JSON value (from a field of any kind, see JSON), or nothing. The zero value is the absent entry. A key is never in both maps: the API server refuses that.
type Entry struct {
	kind    entryKind
	content string // the exact bytes, of either kind
}

type entryKind uint8

const (
	absent entryKind = iota
	text
	binary
	anything
	structured
)

// Text is an entry of data. In a Secret it becomes Binary (see Kind.Entry).
func Text(value string) Entry { return Entry{text, value} }

// Binary is an entry of binaryData, or of a Secret.
func Binary(value []byte) Entry { return Entry{binary, string(value)} }

// Anything matches any entry, or none. It is the expectation of a Txn that goes by its version alone, and what a state says of a value that it does not have.
func Anything() Entry { return Entry{kind: anything} }

// IsAnything reports whether the entry is Anything.
func (e Entry) IsAnything() bool { return e.kind == anything }

// IsAbsent reports whether the key holds nothing.
func (e Entry) IsAbsent() bool { return e.kind == absent }

// Text returns the text that the entry holds, and false for any other.
func (e Entry) Text() (string, bool) { return e.content, e.kind == text }

// Binary returns the bytes of an entry of binaryData or of a Secret, and false for any other.
func (e Entry) Binary() ([]byte, bool) { return []byte(e.content), e.kind == binary }

// Raw is the exact bytes of an entry of either kind.
func (e Entry) Raw() string { return e.content }

// Size is the number of bytes that the entry adds to its object, as the API server counts them: values only.
func (e Entry) Size() int { return len(e.content) }

// Holds reports whether two entries count as the same: the same map, and the same bytes or, for text and for JSON, the same after Unicode NFC.
// Terraform normalizes every string to NFC, so it can never name a live value that is not. The API server stores texts as they come.
func (e Entry) Holds(other Entry) bool {
	if e.kind == anything || other.kind == anything {
		return true
	}
	if e.kind != other.kind {
		return false
	}
	return e.content == other.content || e.kind != binary && norm.NFC.String(e.content) == norm.NFC.String(other.content)
}

// Digest is the hexadecimal SHA-256 of the content, of text and JSON after NFC, behind the name of its map. Two entries have
// the same digest just when one Holds the other.
func (e Entry) Digest() string {
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

// value is what the entry is in JSON: encoding/json writes bytes as base64, as the API server does.
func (e Entry) value() any {
	switch e.kind {
	case binary:
		return []byte(e.content)
	case structured:
		return json.RawMessage(e.content)
	default:
		return e.content
	}
}

// entryJSON is the form in which an entry is stored; a pointer each, since the empty text is not the absent entry.
type entryJSON struct {
	Text    *string `json:"text,omitempty"`
	RawText *[]byte `json:"textBase64,omitempty"` // text that is no UTF-8: a client that speaks protobuf can write it
	Binary  *[]byte `json:"base64,omitempty"`
	Value   *string `json:"value,omitempty"` // the JSON of one that is no text
	Any     bool    `json:"anything,omitempty"`
}

// MarshalJSON writes {"text": …}, {"base64": …}, {"value": …} or, for the absent entry, {}; {"textBase64": …} for text that JSON cannot
// hold. UnmarshalJSON gets the same bytes back.
func (e Entry) MarshalJSON() ([]byte, error) {
	var j entryJSON
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

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Entry) UnmarshalJSON(b []byte) error {
	var j entryJSON
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
		*e = Entry{structured, *j.Value}
	case j.Any:
		*e = Anything()
	default:
		*e = Entry{}
	}
	return nil
}
