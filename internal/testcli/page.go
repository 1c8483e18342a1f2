package testcli

import (
	"errors"
	"regexp"
)

// Block is a fenced block of a page.
type Block struct {
	Language, Text string
	Before         string // what the page says above it, from the block before
}

var (
	fenced = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")
	fence  = regexp.MustCompile("(?m)^[ \t]*```")
)

// Blocks are the fenced blocks of a page in Markdown. A fence that begins or ends none of them is an error.
func Blocks(page string) (all []Block, err error) {
	last := 0
	for _, at := range fenced.FindAllStringSubmatchIndex(page, -1) {
		all = append(all, Block{Language: page[at[2]:at[3]], Text: page[at[4]:at[5]], Before: page[last:at[0]]})
		last = at[1]
	}
	if len(fence.FindAllString(page, -1)) != 2*len(all) {
		return nil, errors.New("the page has fences that are indented or without a language, or an odd number of them")
	}
	return all, nil
}
