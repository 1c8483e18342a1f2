// Messages prints the page of all messages of the provider, docs/guides/messages.md. tools/generate.sh runs it.
package main

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
)

const (
	// stories is the guide that has more about some messages, each under its title.
	stories = "templates/guides/troubleshooting.md.tmpl"

	head = `---
page_title: "All messages"
subcategory: "Messages"
description: |-
  Every message of the provider by its title, with its meaning and the next step.
---

# All Messages

This page lists every message by its title: the words after ` + "`Error:` or `Warning:`" + `, up to the next colon.
A message itself names the object, the attribute and the values, and its next step may be more specific. Pipelines may
depend on titles: the changelog lists each change of a title.
` +
		"[Troubleshooting](troubleshooting.md)" + ` explains how to read a message and what an error leaves behind.

The titles are for keys of ConfigMaps. For a Secret, a title says Secret instead of ConfigMap. For fields of any kind,
it says Object instead of ConfigMap and Field instead of Key.
`
)

func main() {
	log.SetFlags(0)
	guide, err := os.ReadFile(stories)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(head)
	for _, row := range message.Table() {
		fmt.Printf("\n## %s\n\n**%s.** %s\n", row.Title, row.Severity, row.Meaning)
		if row.Next != "" {
			fmt.Printf("\nNext step: %s\n", row.Next)
		}
		if strings.Contains(string(guide), "\n### "+row.Title+"\n") {
			fmt.Printf("\n[More about this message](troubleshooting.md#%s)\n",
				strings.ReplaceAll(strings.ToLower(row.Title), " ", "-"))
		}
	}
}
