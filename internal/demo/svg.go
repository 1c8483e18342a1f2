package main

import (
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// picture is what a terminal shows, with the escape sequences for its colors, and what is said of it to whoever cannot see it.
type picture struct {
	title, description string
	screen             string
}

// The cells of the drawn terminal, in pixels. A monospaced font is about 0.6 of its size wide; textLength holds each span to that. Lines are as near
// to each other as the box-drawing characters need it to join.
const (
	fontSize   = 14.0
	cellWidth  = 8.4
	cellHeight = 16.0
	padding    = 16.0
	columns    = 80
)

// ansiColors are by the parameter of the escape sequence that sets them, for a dark background, which the picture brings along: it must read
// well on pages of any color.
var ansiColors = map[int]string{
	31: "#f14c4c", 32: "#23d18b", 33: "#e5c07b", 34: "#3b8eea", 35: "#d670d6", 36: "#29b8db", 37: "#e5e5e5", 90: "#8b949e",
}

const (
	background = "#1b1f24"
	frame      = "#6e7681"
	foreground = "#d8dee4"
	fonts      = "ui-monospace,SFMono-Regular,Menlo,Consolas,&quot;DejaVu Sans Mono&quot;,&quot;Liberation Mono&quot;,monospace"
)

// style is how a run of text looks.
type style struct {
	color           string // empty for the terminal's own
	bold, underline bool
}

// span is text of one style, in cells from the left on.
type span struct {
	style
	text string
	at   int
}

var escape = regexp.MustCompile("\x1b" + `\[([0-9;]*)m`)

// set applies the parameters of one escape sequence.
func (s *style) set(parameters string) error {
	for p := range strings.SplitSeq(parameters, ";") {
		n, err := strconv.Atoi(p)
		color, known := ansiColors[n]
		switch {
		case p == "" || n == 0 && err == nil:
			*s = style{}
		case n == 1:
			s.bold = true
		case n == 4:
			s.underline = true
		case known:
			s.color = color
		default:
			return fmt.Errorf("the terminal is asked for %q, which cannot be drawn", p)
		}
	}
	return nil
}

// spans takes the lines of a screen apart. Whatever it cannot draw is an error.
func spans(screen string) (lines [][]span, err error) {
	var now style
	for line := range strings.SplitSeq(screen, "\n") {
		var of []span
		at := 0
		add := func(text string) {
			if text != "" {
				of = append(of, span{now, text, at})
				at += utf8.RuneCountInString(text)
			}
		}
		rest := 0
		for _, m := range escape.FindAllStringSubmatchIndex(line, -1) {
			add(line[rest:m[0]])
			if err := now.set(line[m[2]:m[3]]); err != nil {
				return nil, err
			}
			rest = m[1]
		}
		add(line[rest:])
		if at > columns {
			return nil, fmt.Errorf("the line %q has %d columns; the picture has %d", line, at, columns)
		}
		lines = append(lines, of)
	}
	if strings.ContainsFunc(escape.ReplaceAllString(screen, ""), func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) {
		return nil, fmt.Errorf("the terminal is sent what cannot be drawn: %q", screen)
	}
	return lines, nil
}

// draw writes the picture as SVG, whose text is text: one element for each line. It needs nothing from elsewhere, fonts included.
func (p picture) draw(w io.Writer) error {
	lines, err := spans(p.screen)
	if err != nil {
		return err
	}
	width, height := 2*padding+columns*cellWidth, 2*padding+float64(len(lines))*cellHeight
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%g" height="%g" viewBox="0 0 %[1]g %[2]g" role="img" aria-labelledby="t d">`+"\n",
		width, height)
	fmt.Fprintf(&b, "<title id=\"t\">%s</title>\n<desc id=\"d\">%s</desc>\n", escaped(p.title), escaped(p.description))
	fmt.Fprintf(&b, `<rect x=".5" y=".5" width="%g" height="%g" rx="8" fill="%s" stroke="%s"/>`+"\n", width-1, height-1, background, frame)
	fmt.Fprintf(&b, `<g font-family="%s" font-size="%g" fill="%s">`+"\n", fonts, fontSize, foreground)
	for i, line := range lines {
		fmt.Fprintf(&b, `<text y="%g" xml:space="preserve">`, padding+float64(i)*cellHeight+fontSize-2)
		for _, r := range line {
			fmt.Fprintf(&b, `<tspan x="%s" textLength="%s"%s>%s</tspan>`,
				pixels(padding+float64(r.at)*cellWidth), pixels(float64(utf8.RuneCountInString(r.text))*cellWidth), r.attributes(), escaped(r.text))
		}
		b.WriteString("</text>\n")
	}
	b.WriteString("</g>\n</svg>\n")
	_, err = io.WriteString(w, b.String())
	return err
}

// attributes are those that differ from the terminal's own.
func (s style) attributes() (out string) {
	if s.color != "" {
		out += ` fill="` + s.color + `"`
	}
	if s.bold {
		out += ` font-weight="bold"`
	}
	if s.underline {
		out += ` text-decoration="underline"`
	}
	return out
}

// pixels are without what floating point adds to them.
func pixels(f float64) string { return strconv.FormatFloat(f, 'f', -1, 32) }

func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a builder takes everything
	return b.String()
}
