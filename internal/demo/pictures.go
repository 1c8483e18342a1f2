package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// pictured is the name of a picture's file, without the ending, and what is said of it.
type pictured struct {
	name, title, description string
}

var refusedApply = pictured{
	"refused-apply", "terraform apply, refused with Compare-And-Swap Conflict",
	"A terminal. A saved plan is applied after another writer has changed the key. The apply ends in an error that names the ConfigMap, the key, " +
		"what was expected, what is there now, both resourceVersions and who wrote last. Nothing was written.",
}

// show has a picture made of the command that ran last, and of what it printed.
func (s *stage) show(p pictured) {
	s.pictures, s.screens = append(s.pictures, p), append(s.screens, s.screen)
}

// draw writes the pictures into a folder. Those of two runs are the same, where nothing but the run differs.
func (s *stage) draw(folder string) error {
	if len(s.screens) == 0 {
		return errors.New("nothing was shown")
	}
	if err := os.MkdirAll(folder, 0o755); err != nil { //nolint:gosec // it is part of the repository
		return err
	}
	say("Drawing")
	for i, screen := range normalized(s.screens, s.namespace) {
		of := s.pictures[i]
		path := filepath.Join(folder, of.name+".svg")
		var b strings.Builder
		if err := (picture{of.title, of.description, screen}).draw(&b); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil { //nolint:gosec // as above
			return err
		}
		note("%s", path)
	}
	return nil
}

var (
	times    = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	versions = regexp.MustCompile(`resourceVersion: [^\n\x1b]*`)
	number   = regexp.MustCompile(`\d+`)
)

// normalized takes out of the screens what differs from run to run: times, versions, of which those that are the same stay so, the namespace,
// and which of the two command lines it was.
func normalized(screens []string, namespace string) []string {
	seen := map[string]string{}
	out := make([]string, len(screens))
	for i, screen := range screens {
		screen = times.ReplaceAllString(screen, "2026-11-21T03:00:00Z")
		screen = versions.ReplaceAllStringFunc(screen, func(line string) string {
			return number.ReplaceAllStringFunc(line, func(version string) string {
				if seen[version] == "" {
					seen[version] = strconv.Itoa(212 + len(seen))
				}
				return seen[version]
			})
		})
		out[i] = strings.NewReplacer("OpenTofu", "Terraform", "$\x1b[0m tofu ", "$\x1b[0m terraform ", namespace+"/testmap", "default/testmap").Replace(screen)
	}
	return out
}
