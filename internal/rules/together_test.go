package main

import "testing"

func TestSeveralRulesAreOutOfOneSource(t *testing.T) {
	t.Parallel()
	const source = "package p\n\nfunc f() int { return 1 }\n\nfunc g() { h(2) }\n\nconst c = 3\n"
	rules := []rule{{says: "one", code: "return 1", without: "return 10"}, {says: "two", code: "h(2)", without: ""}}
	got, err := together([]byte(source), rules)
	const want = "package p\n\nfunc f() int {\nif ruleOut == \"one\" { return 10 \n} return 1 }\n\n" +
		"func g() {\nif ruleOut == \"two\" {  \nreturn\n} h(2) }\n\nconst c = 3\n"
	if string(got) != want || err != nil {
		t.Errorf("it is\n%s\nwant\n%s(%v)", got, want, err)
	}
	if _, err := together([]byte(source), []rule{{says: "three", code: "c = 3", without: "c = 4"}}); err == nil {
		t.Error("a rule is out that is in no function")
	}
}
