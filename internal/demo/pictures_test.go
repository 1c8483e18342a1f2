package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	_ "github.com/terraform-cas/terraform-provider-cas/internal/provider" // is built apart: no cached result may outlive a change of it
)

// images holds the pictures that the documentation shows.
const images = "../../docs/images"

// textsOf are the title, the description and the lines of a picture.
func textsOf(t *testing.T, svg []byte) (title, description string, lines []string) {
	t.Helper()
	var into *string
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return title, description, lines
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			switch token.Name.Local {
			case "title":
				into = &title
			case "desc":
				into = &description
			case "text":
				lines = append(lines, "")
				into = &lines[len(lines)-1]
			}
		case xml.EndElement:
			if token.Name.Local != "tspan" {
				into = nil
			}
		case xml.CharData:
			if into != nil {
				*into += string(token)
			}
		}
	}
}

// wantPictures fails the test unless the pictures of the documentation show what those of a run in the folder do.
func wantPictures(t *testing.T, folder string) {
	t.Helper()
	for _, of := range []pictured{refusedApply} {
		got, err := os.ReadFile(filepath.Join(images, of.name+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		drawn, err := os.ReadFile(filepath.Join(folder, of.name+".svg"))
		if err != nil {
			t.Fatal(err)
		}
		title, description, lines := textsOf(t, got)
		wantTitle, wantDescription, wantLines := textsOf(t, drawn)
		if diff := cmp.Diff(wantLines, lines); diff != "" || title != wantTitle || description != wantDescription {
			t.Errorf("make pictures has to draw %s anew (-run +picture):\n%s", of.name, diff)
		}
		if title == "" || description == "" || len(lines) < 20 || !strings.Contains(strings.Join(lines, "\n"), "\n│ Error: ") {
			t.Errorf("%s shows %q, %q, %q", of.name, title, description, lines)
		}
	}
}

// What a page loads as an image may not load anything itself, and is to be small.
func TestPicturesStandAlone(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(images, "*.svg"))
	if err != nil || len(files) < 2 {
		t.Fatalf("pictures: %v %v", files, err)
	}
	for _, file := range files {
		svg, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(svg) > 40<<10 {
			t.Errorf("%s has %d bytes", file, len(svg))
		}
		for _, word := range []string{"<script", "href", "url(h", "@import", "<image", "<foreignObject"} {
			if bytes.Contains(svg, []byte(word)) {
				t.Errorf("%s has %s", file, word)
			}
		}
	}
}

func TestPicturesOfTwoRunsAreTheSame(t *testing.T) {
	t.Parallel()
	screen := func(namespace, planned, found, at string) []string {
		return []string{
			"\x1b[31m│\x1b[0m   resourceVersion:  " + planned + " when planned, " + found + " now\n\x1b[31m│\x1b[0m   in " + namespace + "/testmap, " + at,
			"Planned resourceVersion: " + found + "\x1b[0m 7",
		}
	}
	got := normalized(screen("cas-demo-x", "41", "77", "2026-01-02T03:04:05Z"), "cas-demo-x")
	want := screen("default", "212", "213", "2026-11-21T03:00:00Z")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDraw(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	p := picture{"A <title>", "What is seen", "\x1b[31m│\x1b[0m \x1b[0m\x1b[1ma < b\x1b[0m\n\n\x1b[1m\x1b[31mtwo\x1b[0m  \x1b[4mspaces\x1b[0m"}
	if err := p.draw(&b); err != nil {
		t.Fatal(err)
	}
	const want = `<title id="t">A &lt;title&gt;</title>
<desc id="d">What is seen</desc>
<rect x=".5" y=".5" width="703" height="79" rx="8" fill="#1b1f24" stroke="#6e7681"/>
<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,&quot;DejaVu Sans Mono&quot;,&quot;Liberation Mono&quot;,monospace" font-size="14" fill="#d8dee4">
<text y="28" xml:space="preserve"><tspan x="16" textLength="8.4" fill="#f14c4c">│</tspan><tspan x="24.4" textLength="8.4"> </tspan>` +
		`<tspan x="32.8" textLength="42" font-weight="bold">a &lt; b</tspan></text>
<text y="44" xml:space="preserve"></text>
<text y="60" xml:space="preserve"><tspan x="16" textLength="25.2" fill="#f14c4c" font-weight="bold">two</tspan><tspan x="41.2" textLength="16.8">  </tspan>` +
		`<tspan x="58" textLength="50.4" text-decoration="underline">spaces</tspan></text>
</g>
</svg>
`
	_, got, _ := strings.Cut(b.String(), "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, screen := range map[string]string{
		"an unknown color": "\x1b[38;5;243mgrey", "a moving cursor": "\x1b[2Jgone", "a tab": "a\tb", "a long line": strings.Repeat("x", columns+1),
	} {
		if err := (picture{screen: screen}).draw(io.Discard); err == nil {
			t.Errorf("%s was drawn", name)
		}
	}
}

func TestNormalizedScreens(t *testing.T) {
	t.Parallel()
	got := normalized([]string{
		"\x1b[90m$\x1b[0m tofu apply\nOpenTofu\n[id=cas-demo-x/testmap/foo]\nPlanned resourceVersion: 7\nLive resourceVersion: 1009\nat 2031-01-02T03:04:05Z",
		"Planned resourceVersion: 1009",
	}, "cas-demo-x")
	want := []string{
		"\x1b[90m$\x1b[0m terraform apply\nTerraform\n[id=default/testmap/foo]\nPlanned resourceVersion: 212\nLive resourceVersion: 213\nat 2026-11-21T03:00:00Z",
		"Planned resourceVersion: 213",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
