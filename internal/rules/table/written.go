package table

// sent are the rules of a write that was sent: what its answer says, and what is done where it got lost.
var sent = []Rule{
	// What an answer says.
	rule("A 409 that is not about the version is final", "cas.batch.overtaken", "never base", "TestConflictThatIsNotAboutTheVersionIsARefusal"),
	rule("What priority and fairness turned away was not written", "wire.Client.send", "without turnedAway",
		"TestPriorityAndFairnessIsWaitedForWhereOthersAreBusy", "TestPriorityAndFairnessOutlastsTheCaller/patch"),
	rule("That others changed a ResourceQuota passes", "wire.Client.send", "without isQuotaConflict",
		"TestCreationThatIsRefusedForABusyQuotaIsJudgedAgain/twice"),
	rule("Credentials are redacted where an error repeats them", "wire.redactor.RoundTrip", "never ReplaceAll",
		"TestCredentialsAreRedactedWhereAnErrorRepeatsThem"),

	// Sending again.
	rule("A write is sent once: client-go does not send it again", "wire.Client.send", "a.MaxRetries(0) -> a",
		"TestAnswerThatGotLostIsFoundOut/ConfigMap/429_after_the_write_landed", "TestAnswerThatGotLostIsFoundOut/ConfigMap/503_after_the_write_landed"),
	rule("A JSON Patch is never sent again", "cas.batch.canRepeat", "!a.byKey -> true", "TestDelayedJSONPatchIsNeverSentAgain"),
	rule("A JSON Patch that was not found is looked for again, for it may be on its way", "cas.batch.follow", "wire.Pending -> wire.Stale",
		"TestJSONPatchThatNeverArrivesIsUnknownAfterAWhile"),
	rule("But not for longer than it may hold up its siblings", "cas.committer.perform", "(a.failures > 0 || b || c) -> (a.failures > 0)",
		"TestJSONPatchThatNeverArrivesIsUnknownAfterAWhile"),
	rule("A 409 to what was sent again may be our own doing", "cas.committer.perform", "a == wire.Stale && b -> a == wire.Stale",
		"TestMergePatchThatIsSentAgainLandsOnce/the_first_lands"),
	rule("What is answered with 500 is sent again three times at most", "cas.committer.settle", "every never a.failures > maxRepeats",
		"TestWriteThatIsAnsweredWith500ForEverIsSentFourTimesAtMost"),

	// After a cancel.
	rule("A slow request is not cut off early once its callers have left", "cas.committer.perform", "Grace - telling - looking -> looking",
		"TestSwapThatIsSlowAfterItsCallerGaveUpIsSentOnce/on_its_way"),
	rule("But it leaves time to look", "cas.committer.perform", "Grace - telling - looking -> Grace", "TestContextThatEndsAtEveryPoint"),

	// Looking.
	rule("A read that shows another's value does not prove that ours did not land first", "cas.committer.look",
		"a, b = c.settle(d, e) -> a, b = result{outcome: wire.Stale, now: e}, nil", "TestOursLandedThenTheirsThenOurRead"),
	rule("A watch that fails for a passing reason is asked again", "cas.committer.look", "without IsPassing", "TestFailedWatchIsAskedAgain"),
	rule("A lost answer is looked for from the horizon, also where the base is forgotten", "cas.batch.follow", "skip Since",
		"TestAPIServerIsStartedAgain/a_lost_answer_is_found_out_by_who_may_not_list"),
	rule("The horizon is learned anew before a write where it is too old", "cas.committer.next", "never Covers", "TestHorizonIsLearnedAnewBeforeAWrite"),
	rule("Where the horizon is forgotten too, it is looked for back through what etcd has kept", "cas.batch.settle", "never IsExpired",
		"TestAPIServerIsStartedAgain/a_swap_is_found_out,_it_landed", "TestAPIServerIsStartedAgain/a_swap_is_found_out,_it_did_not_land"),
	rule("So is a write that was judged elsewhere", "cas.batch.settle", "without since",
		"TestAPIServerIsStartedAgain/a_lost_answer_to_what_was_judged_before_is_found_out,_it_landed,_then_another_key_was_written"),
	rule("A key that is as it was, and whose owner has not written since, shows that the write did not land", "cas.batch.settle", "never isDisproven",
		"TestKeyOfAnOwnerWhoHasNotWrittenSinceTellsThatNothingLanded"),
	rule("Not so where its owner has", "cas.batch.isDisproven", "!a.Time.Before(b) -> b.IsZero()", "TestSignedWriteIsSettledWithoutWatch"),

	// Found by a reader with fresh eyes.
	rule("A signed write that may have landed is not told as rejected where the read after a 409 fails", "cas.committer.perform",
		"never a && b.isSigned() && c", "TestSignedWriteThatLandedIsNotRejectedWhereTheLookFails"),
	rule("An unknown JSON Patch may land on any base", "cas.committer.newBatch", "without byKey", "TestSwapThatAnUnknownJSONPatchMadeIsNotAnothersToo"),
	rule("An unknown creation may land in place of a later one", "cas.creating.settle", "without lostCreation",
		"TestCreationThatAnUnknownOneMadeIsNotAnothersToo"),
	rule("Who may not watch in one namespace may in another", "wire.Client.Read", `a.refuse(b.Namespace) -> a.refuse("")`,
		"TestHorizonIsNotLostWithAForbiddenNamespace"),
	rule("A watch that shows nothing does not hold up siblings", "cas.batch.follow", "wire.Watching -> time.Hour", "TestSilentWatchDoesNotHoldUpSiblings"),
}

// evident are the rules of evidence: what the object tells of whether a write landed.
var evident = []Rule{
	rule("A merge patch can only be the first version after its base", "cas.batch.follow", "without byKey",
		"TestOnlyTheFirstVersionAfterTheBaseCanBeAMergePatch"),
	rule("A JSON Patch is looked for in every version after the base", "cas.batch.follow", "a.byKey && b -> false", "TestLostAnswerOfAJSONPatchIsFoundOut"),
	rule("A removal that did more than ours is not ours", "cas.batch.madeUnseen", "skip digest", "TestRemovalThatAnotherMadeIsNotTakenForOurs"),

	// Whose it was, by what changed.
	rule("A key that is only compared tells nothing of whose write it was", "cas.batch.made", "without Writes",
		"TestWhoseVersionItIs/foo_is_as_it_was,_and_what_is_compared_is_not"),
	rule("Metadata that is as it was tells that ours did not land", "cas.batch.made", "a || b != c || d != e -> true", "TestGroupMadeOfMetadata"),
	rule("What touches none of our keys is not ours, though it has our name", "cas.batch.made", "a && !b.WroteAnother(c, d) -> !b.WroteAnother(c, d)",
		"TestWriteOfTheSameNameToSomethingElseIsNotTakenForOurs"),
	rule("What another name wrote is not ours, as admission changed it", "cas.batch.made", "without WroteAnother",
		"TestWhoseVersionItIs/foo_is_something_else,_and_another_wrote"),
	rule("What our name made of our keys may be ours, as admission changed it", "cas.batch.made", "never WroteAnother", "FuzzGroup",
		"TestGroupMadeOfMetadata"),

	// Whose it was, by who owns it.
	rule("A key that we write and that is another's was not written by us", "cas.batch.disowned",
		"if a(b) { return true } -> if false && a(b) { return true }", "TestWhoseVersionItIs/bar_is_ours,_and_foo_is_as_it_was_and_another's"),
	rule("Nor was what came with another key that changed and is another's", "cas.batch.disowned", "(!a || b != c) && d(e) -> false",
		"TestWhoseVersionItIs/foo_is_ours,_and_bar_is_another's_and_changed_with_it"),
	rule("Nor what came with a field that another came to own", "cas.batch.disowned", "a.Gained(b, c) -> false",
		"TestWhoseVersionItIs/foo_is_ours,_and_another_came_to_own_something", "TestSameRemovalWithSomethingElseIsNotTakenForOurs"),
	rule("Who owns a key is told where there are many managers too", "judging.Observation.OwnersOf",
		"!a.fields.Has(b) -> !a.fields.Has(b) && a.Manager != manyManagers", "TestSignedGroupMade"),

	// Signatures.
	rule("The same bytes under another's signature are not ours", "cas.batch.made", "without isSigned", "TestSignedGroupMade"),
	rule("A key that is ours still proves a signed write", "cas.batch.settle", "never isProven", "TestSignedWriteIsSettledWithoutWatch"),
	rule("Who owns the key proves it, not that it was changed", "cas.batch.owns", "!judging.Owns(a, b) -> a == nil", "TestSignedWriteIsToldFromATwins"),
	rule("Only a key that holds just what was sent proves it", "cas.batch.isProven", "without leaves", "TestSignedGroupMade/ours,_changed_by_admission"),
	rule("A state without managedFields is not known to be made by a write that begins them", "cas.batch.made", "never firstOwner",
		"TestSameWriteOfAnothersIsNotTakenForOursWhereNobodyIsNamed/text", "TestSameWriteOfAnothersIsNotTakenForOursWhereNobodyIsNamed/empty"),
	rule("A write begins managedFields where there are none", "cas.batch.send", "a.firstOwner() -> nil", "TestSignedWriteIsToldFromATwins"),
	rule("A signed write that was sent twice on the way is found out", "cas.batch.overtaken", "never isProven",
		"TestSignedWriteThatIsSentTwiceOnTheWayIsFoundOut"),

	// After a write whose verdict is unknown.
	rule("After a signed write that is unknown there is a new signature, so that it is not taken for a later one", "cas.committer.finish",
		"skip newSignature", "TestNumberThatAnUnknownWriteTookIsNotGivenAgain"),
	rule("Without a signature, what an unknown write on the same base would make is not known for a later one's", "cas.committer.finish",
		"append(a, lost{b, c, d}) -> a", "TestSwapThatAnUnknownOneMadeIsNotAnothersToo/the_other_is_lost"),
	rule("A number that may be taken is the one that was sent", "cas.task.claim", "a.sent.Store(b) -> a.sent.CompareAndSwap(nil, b)",
		"TestUnknownNumberIsTheOneThatWasSent"),
	rule("A write whose outcome is unknown casts doubt only on what it can have made", "cas.batch.made", "a.leads(b, c) -> leaves(a.changes, c)",
		"TestUnknownJSONPatchDoesNotCastDoubtOnWritesOfOtherKeys"),
	rule("A watch that breaks off is asked again before a write is told of a later version than its own", "cas.committer.settle", "always a, b = c, b+1",
		"TestSignedWriteIsSettledByAnotherWatchWhereOneBreaksOff"),
	rule("What a look has proven stays proven", "cas.committer.settle", "never a > 0", "TestWhatALookHasProvenStaysProven"),
}
