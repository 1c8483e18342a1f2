package table

// queued are the rules of the committer: what waits for what, and for how long.
var queued = []Rule{
	// One committer for each object.
	rule("A read that tells a conflict begins while no write of this process to the object is in flight", "cas.committer.take", "len(a) > 0 -> false",
		"TestSiblingsWriteThatLandedAndHasNotAnsweredIsNotForeign"),
	rule("One request at a time", "cas.committer.do", "always running", "TestOneRequestAtATime"),
	rule("What only informs does not wait for the request that is under way", "cas.committer.do", "never informs",
		"TestCheckThatPassesDoesNotWaitForAWrite"),
	rule("What would refuse waits for a read of its own", "cas.committer.informs", "never DecideRefuse", "TestCheckThatPassesDoesNotWaitForAWrite"),
	rule("Swaps of one key are judged in the order in which they arrive", "cas.committer.judgeAll", "never !a.continues(b)",
		"TestSwapsOfOneKeyAreJudgedInTheirOrder"),
	rule("A creation or a removal keeps its place among the swaps of the object", "cas.committer.run",
		"a, b = a[:max(c, 1)], a[max(c, 1):] -> a, b = a[c:c+1], slices.Concat(a[:c], a[c+1:])", "TestWholeObjectKeepsItsPlaceInTheQueue"),
	rule("Closing waits for what is under way", "cas.Engine.Close", "skip Wait", "TestCloseLeavesNoRequestBehind"),

	// Turns.
	rule("Reads that keep coming do not put off a write", "cas.committer.next",
		"for range a { if b.turn = c; a[b.turn] { break } } -> for _, b.turn = range [...]turn{reads, writes, rehearses} { if a[b.turn] { break } }",
		"TestWriteIsNotPutOffByReadsThatKeepComing"),
	rule("Writes that keep coming do not put off a rehearsal", "cas.committer.next",
		"for range a { if b.turn = c; a[b.turn] { break } } -> for _, b.turn = range [...]turn{reads, writes, rehearses} { if a[b.turn] { break } }",
		"TestRehearsalIsNotPutOffByWritesThatKeepComing"),
	rule("Writes that keep coming do not put off a read", "cas.committer.next",
		"for range a { if b.turn = c; a[b.turn] { break } } -> for _, b.turn = range [...]turn{writes, rehearses, reads} { if a[b.turn] { break } }",
		"TestReadIsNotPutOffByWritesThatKeepComing/they_are_refused"),

	// The pace.
	rule("A lone swap does not wait for siblings", "pace.Pace.Wait", "a < b.target -> a <= b.target", "TestLoneSwapDoesNotWait"),
	rule("A batch waits for half of those who come back", "pace.Pace.settle", "(a+1) / 2 -> a", "TestPaceFollowsHowWorkersComeBack"),
	rule("Who does not come back is not waited for again", "pace.Pace.Sends", "a.short == 1 && b -> a.short > 0",
		"TestThoseWhoDoNotComeAreNotWaitedForAgain"),
	rule("Workers who come all at once are counted then", "pace.Pace.Sends", "never (a+1)/2 > b", "TestPaceFollowsHowWorkersComeBack"),
	rule("The first swap after a while does not wait", "pace.Pace.Arrives", "idle -> time.Hour", "TestLoneSwapDoesNotWait"),
	rule("The pace follows workers who come less often", "pace.Pace.Arrives", "skip (3*a + b) / 4", "TestPaceFollowsHowWorkersComeBack"),

	// Cancelling.
	rule("A write that was sent waits for its verdict when it is cancelled", "cas.task.wait", "a.CompareAndSwap(b, c) -> a.CompareAndSwap(b, c) || true",
		"TestCancelAfterTheWriteWasSentGetsTheTrueVerdict"),
	rule("One caller's end does not end the request of the others", "cas.anyCaller", "a.Add(-1) == 0 -> a.Add(-1) >= 0",
		"TestCancelOfOneCallerDoesNotEndTheRequestOfTheOthers", "TestContextThatEndsAtEveryPoint"),
	rule("A caller whose write was refused may leave at once", "cas.committer.perform", "never !a.isSigned()", "TestContextThatEndsAtEveryPoint"),
	rule("Unless the write is signed, and may have landed: then it is not let go before the look", "cas.committer.perform", "always !a.isSigned()",
		"TestCallersOfAWriteThatLandedAreToldOnceThoughOneOfThemGaveUp", "TestLoneCallerWhoGaveUpIsNotToldThatNothingWasWritten"),
	rule("A task is answered once, and keeps its answer", "cas.task.answer",
		"if a.answered { return } -> if a.answered { a.err = context.Canceled; return }", "TestTaskKeepsItsFirstAnswer"),

	// What is kept.
	rule("The bodies of idle objects are forgotten where they take too much", "cas.bodies.keep", "skip forgetIdle",
		"TestWhatIsKeptOfManyLargeObjectsIsSmall"),
}

// batched are the rules of what goes into one request, and of what that request is conditional on.
var batched = []Rule{
	// What a write is conditional on.
	rule("A request is conditional on the version", "judging.MergePatch", `without "resourceVersion"`, "TestWriteIsConditionalOnWhatWasJudged"),
	rule("A request is conditional on the uid as well", "judging.MergePatch", `without "uid"`, "TestSameVersionOfAnotherObjectIsNotWritten"),
	rule("An answer without a version is nothing to be conditional on", "wire.Client.Get", "never IsVersioned", "TestBaseWithoutAVersionIsNeverWrittenOn"),
	rule("A write leaves the bytes of the other keys as they are", "judging.MergePatch", "types.StrategicMergePatchType -> types.MergePatchType",
		"TestTextThatIsNoUTF8IsLeftAsItIs"),
	rule("A key is never taken for a directive", "judging.isDirective", `"$" -> "/"`, "TestKeyIsNeverTakenForADirective"),
	rule("A redirect is never followed", "wire.New", "skip CheckRedirect", "TestRedirectedWriteIsNotApplied"),

	// Removals without a read.
	rule("A removal of what was seen costs no read", "cas.committer.next", "a.blindBatch(b) -> nil", "TestRemovalOfWhatWasSeenNeedsNoRead"),
	rule("A removal without a read keeps to the versions that it names", "judging.Txn.CanGoBlind", "without slices.ContainsFunc(a.At, b)",
		"TestBlindRemovalKeepsToItsVersions"),
	rule("It leaves what is only compared", "cas.committer.blindBatch", "every a.IsGuard -> false", "TestGuardOfARemovalIsComparedAndStays"),
	rule("Nor of what was taken over since it was seen", "judging.Txn.CanGoBlind", "without WroteSince", "TestAdoptedKeyIsNotRemovedWithoutARead"),

	// Batches.
	rule("A refused batch is halved", "cas.committer.finish", "never most", "TestOneBadEntryDoesNotFailItsSiblings",
		"TestNumbersKeepTheirOrderWhereABadEntryIsAmongThem"),
	rule("A batch of which one caller has left is not sent", "cas.batch.claim", "return false -> continue",
		"TestNumberOfWhoLeavesBeforeTheRequestIsSentGoesToTheNext"),
	rule("What is written waits for those ahead that compare it", "cas.keySet.blocks", "without IsGuard", "TestWriteDoesNotOvertakeWhatComparesItsKey",
		"FuzzBatch"),
	rule("Comparing is no writing: transactions that compare the same key share a request", "cas.keySet.blocks", "a && (b || !c.IsGuard) -> a || b",
		"TestTxnsThatShareAGuardGoTogether"),
	rule("Metadata goes alone", "cas.batch.fits", "every without Meta", "FuzzBatch"),

	// Numbers.
	rule("Each caller who computes a key gets what the one before it leaves", "cas.committer.judge", "never JudgeAfter",
		"TestNumbersThatAreAskedForTogetherAreTakenInOneRequest"),
	rule("They go in one request", "cas.committer.judgeAll", "without !a.continues(b)", "TestNumbersThatAreAskedForTogetherAreTakenInOneRequest"),
	rule("Each is told what the key held after its own", "cas.batch.landed", "skip a.Stored[b] = c.To",
		"TestNumbersThatAreAskedForTogetherAreTakenInOneRequest"),
	rule("No number overtakes one that cannot go along", "cas.committer.judgeAll", "if a { b } else { c.ends(d) } -> if a { b }",
		"TestNumberDoesNotOvertakeOneOfAnotherFieldManager"),
	rule("Nor a swap of its key", "cas.committer.judgeAll", "{ a.add(b); c.ends(b); continue } -> { a.add(b); continue }",
		"TestNumberDoesNotOvertakeASwapOfItsKey"),

	// Where others are busy.
	rule("a base that was not read, and is old, is no contention", "cas.batch.overtaken", "without from",
		"TestWriteThatWasJudgedOnAnOlderVersionKeepsTheLineage"),
	rule("Once a 409 has proved that others are busy, writes go as JSON Patch", "cas.batch.overtaken", "calmAfter -> 0",
		"TestJSONPatchIsConditionalOnTheKey", "TestLineageEndsAtAJSONPatch"),
	rule("A JSON Patch tests each key", "judging.JsonPatch", `skip append(a, operation{"test", b, c})`, "TestJSONPatchIsConditionalOnTheKey"),
	rule("A key that is only compared where it is absent is tested by a JSON Patch too", "judging.JsonPatch", "skip absence",
		"TestGuardsAreComparedWhereOthersAreBusy/ConfigMap/one_that_is_to_be_absent_comes",
		"TestGuardThatIsToBeAbsentWhereAMapIsNot/it_comes_with_the_guard"),
	rule("A swap that names a version never goes as JSON Patch", "cas.batch.canGoByKey", "without IsHeld", "TestSwapThatNamesAVersionIsNoJSONPatch"),
	rule("What is computed is never a JSON Patch", "cas.batch.canGoByKey", "without Computes", "TestWhatIsComputedIsNeverAJSONPatch"),
	rule("Text that is no UTF-8 keeps JSON Patch away", "cas.batch.canGoByKey", "without SurvivesJSON",
		"TestTextThatIsNoUTF8IsLeftAsItIsWhereOthersAreBusy/key", "TestTextThatIsNoUTF8IsComparedToTheByte/others_are_busy",
		"TestGuardThatIsNoUTF8IsComparedToTheByte"),
	rule("So does such text in an annotation", "judging.Observation.SurvivesJSON", "without Annotations",
		"TestTextThatIsNoUTF8IsLeftAsItIsWhereOthersAreBusy/annotation"),
	rule("So do more keys than a JSON Patch takes", "cas.batch.canGoByKey", "without maxChanges", "TestTxnOfMoreKeysThanAJSONPatchTakes"),
	rule("A JSON Patch that is refused for something else gets a clear answer as a merge patch", "cas.batch.overtaken", "skip a.contended = 0",
		"TestBadKeyIsRefusedWhereOthersAreBusy"),
	rule("A JSON Patch writes nothing to what is being deleted", "judging.JsonPatch", "[]operation{a} -> []operation{}",
		"TestWhatIsBeingDeletedIsNotWrittenWhereOthersAreBusy"),
}
