// Package document has the tests of cas_configmap_document, and of the data source beside it.
package document

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestMain(m *testing.M) { fixture.Main(m) }

// document is a pipeline with ConfigMap settings, whose key has a document.
type document struct {
	*fixture.Pipeline
	key, format string
}

// made returns a pipeline on the protocol driver with this document.
func made(t *testing.T, key, text string) *document {
	t.Helper()
	return on(fixture.NewPipeline(t), key, text)
}

// cli returns a pipeline on the real command line with this document.
func cli(t *testing.T, key, text string) *document {
	t.Helper()
	return on(fixture.NewCLIPipeline(t), key, text)
}

func on(p *fixture.Pipeline, key, text string) *document {
	p.Helper()
	format := "yaml"
	if strings.HasSuffix(key, ".json") {
		format = "json"
	}
	p.Create("settings", fixture.Data{key: text, "other": "kept"})
	return &document{p, key, format}
}

// block returns a resource block for the document.
func (d *document) block(label string, lines ...string) string {
	return fmt.Sprintf("resource \"cas_configmap_document\" %q {\n  namespace = NAMESPACE\n  name = \"settings\"\n  key = %q\n"+
		"  format = %q\n  %s\n}\n", label, d.key, d.format, strings.Join(lines, "\n  "))
}

// text returns the live text of the document.
func (d *document) text() string {
	d.Helper()
	return d.Live("settings").Data[d.key]
}

// wantText fails the test unless the document has this text, and no other key changed.
func (d *document) wantText(want string) {
	d.Helper()
	live := d.Live("settings").Data
	if live[d.key] != want {
		d.Errorf("the document is\n%s\nwant\n%s", live[d.key], want)
	}
	if live["other"] != "kept" {
		d.Errorf("the other key is %q", live["other"])
	}
}

// edit has another writer replace a part of the document.
func (d *document) edit(part, by string) {
	d.Helper()
	was := d.text()
	if strings.Count(was, part) != 1 {
		d.Fatalf("%q is %d times in\n%s", part, strings.Count(was, part), was)
	}
	d.Set("settings", d.key, strings.Replace(was, part, by, 1))
}
