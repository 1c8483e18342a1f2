package eval

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/document"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/fieldpaths"
)

// Holder is a text of an object that contains a document.
type Holder struct {
	// Key is the key of the text: an entry, or any field that is a text.
	Key string
	// Format is "yaml" or "json".
	Format string
}

const inDocuments = "documents/"

// DocumentKey returns the key of a value in a document. Two spellings of one path have the same key.
func DocumentKey(h Holder, path string) (string, error) {
	p, err := fieldpaths.ParseInDocument(path)
	if err != nil {
		return "", err
	}
	return inDocuments + h.Format + "/" + url.PathEscape(h.Key) + "/" + fieldpaths.Text(p), nil
}

// DocumentPath returns the document and the path of a key that DocumentKey made, and false for any other key.
func DocumentPath(key string) (h Holder, path string, isDocument bool) {
	rest, isDocument := strings.CutPrefix(key, inDocuments)
	format, rest, _ := strings.Cut(rest, "/")
	text, path, _ := strings.Cut(rest, "/")
	if !isDocument {
		return Holder{}, "", false
	}
	h.Key, _ = url.PathUnescape(text) // cannot fail: DocumentKey escaped it
	h.Format = format
	return h, path, true
}

// documentKeys caches the documents and paths of keys.
var documentKeys sync.Map // of keys to documentKey

type documentKey struct {
	Holder

	path fieldpath.Path
}

// documentOf returns the document of a key and the path in it, and false for a key that is in no document.
func documentOf(key string) (Holder, fieldpath.Path, bool) {
	if !strings.HasPrefix(key, inDocuments) {
		return Holder{}, nil, false
	}
	known, isKnown := documentKeys.Load(key)
	if !isKnown {
		h, path, _ := DocumentPath(key)
		known, _ = documentKeys.LoadOrStore(key, documentKey{h, parsed(path)})
	}
	k, _ := known.(documentKey)
	return k.Holder, k.path, true
}

// textKey returns the key of the text that contains the document of a key, and a key that is in no document as it is.
func textKey(key string) string {
	if h, _, isDocument := documentOf(key); isDocument {
		return h.Key
	}
	return key
}

// DocumentError: a text is no valid document, or its spelling does not permit a change. Nothing was written.
type DocumentError struct {
	Holder

	Line   int // 0 if it is not known
	Reason string
}

func (e *DocumentError) Error() string {
	return fmt.Sprintf("%s: %v", e.Key, &document.Error{Line: e.Line, Reason: e.Reason})
}

func (h Holder) failed(err error) error {
	var refused *document.Error
	if !errors.As(err, &refused) {
		return err
	}
	return &DocumentError{Holder: h, Line: refused.Line, Reason: refused.Reason}
}

// documents has the parsed documents of a snapshot.
type documents struct {
	mu    sync.Mutex
	known map[Holder]parsedText
}

// parsedText is a text as a document. The root is nil for a missing text.
type parsedText struct {
	*document.Document

	root any
	err  error
}

// document returns a document of the object.
func (o *Snapshot) document(h Holder) parsedText {
	o.documents.mu.Lock()
	defer o.documents.mu.Unlock()
	d, isKnown := o.documents.known[h]
	if isKnown {
		return d
	}
	held, err := o.Lookup(h.Key)
	isText := held.kind == text || held.IsAbsent() || o.kind == Secret && held.kind == binary
	switch {
	case err != nil:
	case !isText:
		err = &DocumentError{Holder: h, Reason: "the value is no text"}
	default:
		d.Document, err = document.Parse(held.content, document.Format(h.Format))
	}
	if err == nil {
		d.root = d.Value()
	}
	d.err = h.failed(err)
	if o.documents.known == nil {
		o.documents.known = map[Holder]parsedText{}
	}
	o.documents.known[h] = d
	return d
}

// find follows a path in the object, or in the document of a key.
func (o *Snapshot) find(key string, p fieldpath.Path) (place, error) {
	h, _, isDocument := documentOf(key)
	if !isDocument {
		return find(o.object, p)
	}
	d := o.document(h)
	if d.err != nil {
		return place{}, d.err
	}
	return find(d.root, p)
}

// canChange returns an error if the spelling of a document does not permit to change or to remove a value.
func (d parsedText) canChange(h Holder, p fieldpath.Path, removes bool) error {
	return h.failed(d.Permits(placeOf(d.root, p), removes))
}

// placeOf returns the place in a document to which a path leads.
func placeOf(root any, p fieldpath.Path) (steps []any) {
	for i, e := range p {
		if e.FieldName != nil {
			steps = append(steps, *e.FieldName)
			continue
		}
		at, _ := find(root, p[:i])
		list, _ := at.value.([]any)
		steps = append(steps, indexOf(list, e))
	}
	return steps
}

// Texts returns the changes with one change of its text instead of all changes in a document.
func (o *Snapshot) Texts(changes []Change) ([]Change, error) {
	var texts []Change
	var holders []Holder
	byHolder := map[Holder][]Change{}
	for _, c := range changes {
		h, _, isDocument := documentOf(c.Key)
		switch {
		case !isDocument:
			texts = append(texts, c)
			continue
		case !c.Writes():
			continue
		case byHolder[h] == nil:
			holders = append(holders, h)
		}
		byHolder[h] = append(byHolder[h], c)
	}
	grows, size := 0, 0
	for _, h := range holders {
		c, err := o.text(h, byHolder[h])
		if err != nil {
			return nil, err
		}
		texts = append(texts, c)
	}
	for _, c := range texts {
		if IsEntry(c.Key) && !c.IsGuard {
			grows += c.To.Size() - c.From.Size()
			size += c.To.Size()
		}
	}
	if o.Size()+grows > MaxSize && grows > 0 {
		return nil, &TooLargeError{Ref: o.ref(), New: size, Others: o.Size() + grows - size}
	}
	return texts, nil
}

// text returns the change of a text that makes changes in its document.
func (o *Snapshot) text(h Holder, changes []Change) (Change, error) {
	refuse := func(c Change, err error) (Change, error) {
		return Change{}, &FieldError{Ref: o.ref(), Key: c.Key, Err: err}
	}
	d := o.document(h)
	if d.err != nil {
		return refuse(changes[0], d.err)
	}
	var edits []document.Change
	for _, c := range changes {
		edits = append(edits, document.Change{
			Place: placeOf(d.root, pathOf(c.Key)), Value: c.To.decode(), Removes: c.To.IsAbsent(),
		})
	}
	edited, err := d.Edit(edits)
	if err != nil {
		return refuse(changes[0], h.failed(err))
	}
	for _, c := range changes {
		found, err := find(edited.Value(), pathOf(c.Key))
		if err != nil || newValue(found.value) != c.To {
			return refuse(c, errors.New("another change of the document excludes this one"))
		}
	}
	c := Change{Key: h.Key, From: o.Value(h.Key), To: o.kind.Normalize(Text(edited.Text()))}
	rest := strings.TrimSpace(edited.Text())
	isEmpty := rest == "[]" || rest == "{}" // no comments are left
	if isEmpty && slices.ContainsFunc(changes, func(c Change) bool { return c.RemovesEmpty }) {
		c.To = Value{}
	}
	return c, nil
}

// changed returns the root of a document after changes.
func changed(root any, changes []Change) any {
	root = clone(root)
	for _, c := range changes {
		if c.Writes() {
			root = put(root, pathOf(c.Key), c.To)
		}
	}
	return root
}

// after returns the content of the object after changes, for a comparison of keys. The texts of documents are those of
// before.
func (o *Snapshot) after(changes []Change) *Snapshot {
	after := &Snapshot{kind: o.kind, object: o.apply(changes), documents: &documents{known: map[Holder]parsedText{}}}
	for _, c := range changes {
		if h, _, isDocument := documentOf(c.Key); isDocument && c.Writes() {
			d, isKnown := after.documents.known[h]
			if !isKnown {
				d = o.document(h)
			}
			d.root = changed(d.root, []Change{c})
			after.documents.known[h] = d
		}
	}
	return after
}

// ref returns the name of the object.
func (o *Snapshot) ref() Ref {
	return Ref{Kind: o.kind, Namespace: o.meta.Namespace, Name: o.meta.Name}
}
