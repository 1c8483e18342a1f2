package terms

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/rand"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
)

const (
	// maxNamePrefix and nameSuffix are those of SimpleNameGenerator in k8s.io/apiserver: 63 characters together.
	maxNamePrefix = 58
	nameSuffix    = 5
	// NameAttempts is how many generated names are tried where one after the other is taken.
	NameAttempts = 8
)

// GenerateName makes a name as the API server would of generateName. It is made here, so that what became of a creation whose
// answer got lost can be looked for by its name.
func GenerateName(prefix string) string {
	return prefix[:min(len(prefix), maxNamePrefix)] + rand.String(nameSuffix)
}

// IsGenerated reports whether a name may have been made of the prefix.
func IsGenerated(name, prefix string) bool {
	suffix, ok := strings.CutPrefix(name, prefix[:min(len(prefix), maxNamePrefix)])
	return ok && prefix != "" && len(suffix) == nameSuffix
}

// NamePrefixProblems are those of the names that are made of a prefix.
func NamePrefixProblems(prefix string) []string {
	if prefix == "" {
		return []string{utilvalidation.EmptyError()}
	}
	return NameProblems(GenerateName(prefix))
}
