package document

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// Number returns the canonical form of a number: digits only if it is whole, and otherwise the form of encoding/json.
// It returns false for a number that is too large for a float64.
func Number(n json.Number) (json.Number, bool) {
	f, err := strconv.ParseFloat(n.String(), 64)
	switch {
	case err != nil:
		return n, false
	case f == 0:
		return "0", true
	case !strings.ContainsAny(n.String(), ".eE"):
		return n, true
	}
	if exact, ok := new(big.Rat).SetString(n.String()); ok && exact.IsInt() {
		return json.Number(exact.Num().String()), true
	}
	raw, err := json.Marshal(f)
	return json.Number(raw), err == nil
}

// yamlNumber returns the number that a YAML scalar spells, and false for infinity and text.
func yamlNumber(text string) (json.Number, bool) {
	text = strings.ReplaceAll(text, "_", "")
	for _, base := range []int{0, 10} { // "0644" is octal, and "089" decimal
		if whole, isWhole := new(big.Int).SetString(text, base); isWhole {
			return json.Number(whole.String()), true
		}
	}
	if strings.ContainsAny(text, "nNxX") {
		return "", false
	}
	return Number(json.Number(text))
}
