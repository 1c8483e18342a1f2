// Package table has the rules of the engine and of the provider, and how to take each of them out.
package table

import "slices"

// Provider is the folder of the provider.
const Provider = "internal/provider"

const (
	engine     = "internal/cas"
	acceptance = "internal/acceptance"
)

// Rule is one that must hold, and how to take it out.
type Rule struct {
	Says string
	File string // from the root of the repository
	// Code is what implements the rule, and stands in the file once; Without is what stands there when it is taken out.
	Code, Without string
	// Dir is the folder of the tests that must fail then: TestX, or TestX/a_subtest.
	Dir   string
	Tests []string
}

// All is all rules: of what doc.go of the engine promises, and of what that rests on; and of the provider.
func All() []Rule {
	return slices.Concat(queued, judged, batched, sent, evident, whole, secrets,
		providerWritten, providerRemoved, providerStored, providerPlanned, providerBound, providerDrift, providerSecret, providerSaid, providerShown, providerConfigured,
		providerInvoked)
}

// queued are the rules of the committer: what waits for what, and for how long.
var queued = []Rule{
	// One committer for each object.
	{
		"A read that tells a conflict begins while no write of this process to the object is in flight",
		engine + "/committer.go",
		"c.running = len(tasks) > 0",
		"c.running = false",
		engine,
		[]string{"TestSiblingsWriteThatLandedAndHasNotAnsweredIsNotForeign"},
	},
	{
		"One request at a time",
		engine + "/committer.go",
		"if !c.running {\n\t\tc.running = true",
		"if true {\n\t\tc.running = true",
		engine,
		[]string{"TestOneRequestAtATime"},
	},
	{
		"What only informs does not wait for the request that is under way",
		engine + "/committer.go",
		"if c.informs(t) {",
		"if false {",
		engine,
		[]string{"TestCheckThatPassesDoesNotWaitForAWrite"},
	},
	{
		"What would refuse waits for a read of its own",
		engine + "/committer.go",
		"if j := t.judge(c.head, &c.lineage); t.kind == checkTask && j.Decision == judging.DecideRefuse {\n\t\treturn false",
		"if j := t.judge(c.head, &c.lineage); t.kind == checkTask && j.Decision == judging.DecideRefuse {\n\t\treturn true",
		engine,
		[]string{"TestCheckThatPassesDoesNotWaitForAWrite"},
	},
	{
		"Swaps of one key are judged in the order in which they arrive",
		engine + "/committer.go",
		"if t.kind == writeTask && ahead.blocks(t.txn) && !write.continues(t) {",
		"if false {",
		engine,
		[]string{"TestSwapsOfOneKeyAreJudgedInTheirOrder"},
	},
	{
		"A creation or a removal keeps its place among the swaps of the object",
		engine + "/committer.go",
		"tasks, behind = tasks[:max(i, 1)], tasks[max(i, 1):]",
		"tasks, behind = tasks[i:i+1], slices.Concat(tasks[:i], tasks[i+1:])",
		engine,
		[]string{"TestWholeObjectKeepsItsPlaceInTheQueue"},
	},
	{
		"Closing waits for what is under way",
		engine + "/engine.go",
		"\te.work.Wait()\n",
		"",
		engine,
		[]string{"TestCloseLeavesNoRequestBehind"},
	},

	// Turns.
	{
		"Reads that keep coming do not put off a write",
		engine + "/committer.go",
		"for range can {\n\t\tif c.turn = (c.turn + 1) % turns; can[c.turn] {",
		"for _, c.turn = range [...]turn{reads, writes, rehearses} {\n\t\tif can[c.turn] {",
		engine,
		[]string{"TestWriteIsNotPutOffByReadsThatKeepComing"},
	},
	{
		"Writes that keep coming do not put off a rehearsal",
		engine + "/committer.go",
		"for range can {\n\t\tif c.turn = (c.turn + 1) % turns; can[c.turn] {",
		"for _, c.turn = range [...]turn{reads, writes, rehearses} {\n\t\tif can[c.turn] {",
		engine,
		[]string{"TestRehearsalIsNotPutOffByWritesThatKeepComing"},
	},
	{
		"Writes that keep coming do not put off a read",
		engine + "/committer.go",
		"for range can {\n\t\tif c.turn = (c.turn + 1) % turns; can[c.turn] {",
		"for _, c.turn = range [...]turn{writes, rehearses, reads} {\n\t\tif can[c.turn] {",
		engine,
		[]string{"TestReadIsNotPutOffByWritesThatKeepComing/they_are_refused"},
	},

	// The pace.
	{
		"A lone swap does not wait for siblings",
		engine + "/pace/pace.go",
		"case n < p.target:\n\t\tuntil",
		"case n <= p.target:\n\t\tuntil",
		engine,
		[]string{"TestLoneSwapDoesNotWait"},
	},
	{
		"A batch waits for half of those who come back",
		engine + "/pace/pace.go",
		"p.target, p.found, p.keeps, p.short, p.alone = (n+1)/2, n, p.hold, 0, 0",
		"p.target, p.found, p.keeps, p.short, p.alone = n, n, p.hold, 0, 0",
		engine,
		[]string{"TestPaceFollowsHowWorkersComeBack"},
	},
	{
		"Who does not come back is not waited for again",
		engine + "/pace/pace.go",
		"if p.short++; p.short == 1 && p.keeps > 0 {",
		"if p.short++; p.short > 0 {",
		engine,
		[]string{"TestThoseWhoDoNotComeAreNotWaitedForAgain"},
	},
	{
		"Workers who come all at once are counted then",
		engine + "/pace/pace.go",
		"case n > p.found && (n+1)/2 > p.target+1:",
		"case false:",
		engine,
		[]string{"TestPaceFollowsHowWorkersComeBack"},
	},
	{
		"The first swap after a while does not wait",
		engine + "/pace/pace.go",
		"case since >= idle:",
		"case since >= time.Hour:",
		engine,
		[]string{"TestLoneSwapDoesNotWait"},
	},
	{
		"The pace follows workers who come less often",
		engine + "/pace/pace.go",
		"p.gap = (3*p.gap + since) / 4",
		"_ = since",
		engine,
		[]string{"TestPaceFollowsHowWorkersComeBack"},
	},

	// Cancelling.
	{
		"A write that was sent waits for its verdict when it is cancelled",
		engine + "/task.go",
		"if t.state.CompareAndSwap(waiting, givenUp) {",
		"if t.state.CompareAndSwap(waiting, givenUp) || true {",
		engine,
		[]string{"TestCancelAfterTheWriteWasSentGetsTheTrueVerdict"},
	},
	{
		"One caller's end does not end the request of the others",
		engine + "/task.go",
		"if left.Add(-1) == 0 {",
		"if left.Add(-1) >= 0 {",
		engine,
		[]string{"TestCancelOfOneCallerDoesNotEndTheRequestOfTheOthers", "TestContextThatEndsAtEveryPoint"},
	},
	{
		"A caller whose write was refused may leave at once",
		engine + "/write.go",
		"if !w.isSigned() { // a signed one may have landed, if something on the way sent it twice",
		"if false {",
		engine,
		[]string{"TestContextThatEndsAtEveryPoint"},
	},
	{
		"Unless the write is signed, and may have landed: then it is not let go before the look",
		engine + "/write.go",
		"if !w.isSigned() { // a signed one may have landed, if something on the way sent it twice",
		"if true {",
		engine,
		[]string{"TestCallersOfAWriteThatLandedAreToldOnceThoughOneOfThemGaveUp", "TestLoneCallerWhoGaveUpIsNotToldThatNothingWasWritten"},
	},
	{
		"A task is answered once, and keeps its answer",
		engine + "/task.go",
		"if t.answered {\n\t\treturn\n",
		"if t.answered {\n\t\tt.err = err\n\t\treturn\n",
		engine,
		[]string{"TestTaskKeepsItsFirstAnswer"},
	},

	// What is kept.
	{
		"The bodies of idle objects are forgotten where they take too much",
		engine + "/bodies.go",
		"oldest.forgetIdle()",
		"_ = oldest",
		engine,
		[]string{"TestWhatIsKeptOfManyLargeObjectsIsSmall"},
	},
}
