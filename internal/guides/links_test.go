package guides

import (
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// here are the addresses under which the files of the repository are linked from pages that are shown elsewhere.
var here = regexp.MustCompile(`^https://(?:raw\.githubusercontent\.com/terraform-cas/terraform-provider-cas|` +
	`github\.com/terraform-cas/terraform-provider-cas/(?:blob|tree))/main/|^https://github\.com/terraform-cas/terraform-provider-cas(?:$|(#.*))`)

// Every link of a page to another one, or to a heading, leads somewhere.
func TestLinks(t *testing.T) {
	t.Parallel()
	root, err := toolchain.Root()
	if err != nil {
		t.Fatal(err)
	}
	files := exec.CommandContext(t.Context(), "git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md")
	files.Dir = root
	out, err := files.Output()
	if err != nil {
		toolchain.Unavailable(t, err)
	}
	link := regexp.MustCompile(`!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)\s]+)\)`)
	links := 0
	for page := range strings.FieldsSeq(string(out)) {
		for _, match := range link.FindAllStringSubmatch(prose(toolchain.Text(t, root, page)), -1) {
			target, folder := match[1], path.Dir(page)
			if here.MatchString(target) {
				target, folder = here.ReplaceAllString(target, "$1"), "."
				if target == "" || target[0] == '#' {
					target = "README.md" + target
				}
			}
			if strings.Contains(target, "://") {
				continue
			}
			links++
			file, heading, _ := strings.Cut(target, "#")
			if file == "" {
				file = path.Base(page)
			}
			file = path.Join(folder, file)
			if _, err := os.Stat(path.Join(root, file)); err != nil {
				t.Errorf("%s links to %s, which is not there", page, match[1])
			} else if heading != "" && !headings(toolchain.Text(t, root, file))[heading] {
				t.Errorf("%s links to %s: no such heading", page, match[1])
			}
		}
	}
	if links < 100 {
		t.Errorf("found only %d links", links)
	}
}

// prose is a page without its fenced blocks.
func prose(page string) string {
	return regexp.MustCompile("(?ms)^```.*?^```").ReplaceAllString(page, "")
}

// headings are the anchors of a page, as GitHub and the registries make them.
func headings(page string) map[string]bool {
	found := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^#+ (.+)$|<a id="([^"]+)"`).FindAllStringSubmatch(prose(page), -1) {
		slug := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(match[1]), "")
		found[strings.ReplaceAll(slug, " ", "-")+match[2]] = true
	}
	return found
}
