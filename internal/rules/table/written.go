package table

var (
	tell     = subtests("TestWhatBecameOfALostWrite", "judging.Sent.Tell")
	anothers = subtests("TestWhatBecameOfALostWrite", "judging.Sent.isAnothers")
	another  = subtests("TestWhatBecameOfALostWrite", "judging.Sent.HasAnother")
	stands   = subtests("TestWhatBecameOfALostWrite", "judging.Sent.standing")
	owns     = subtests("TestWhatBecameOfALostWrite", "judging.Sent.Owns")
	differs  = subtests("TestWhatBecameOfALostWrite", "judging.Observation.DiffersOnlyBy")
	same     = subtests("TestWhoWroteByWhatIsGained", "judging.managed.isSame")
	leads    = subtests("TestEarlierWriteMayHaveMadeTheVersion", "judging.Doubt.leads")
	unread   = subtests("TestWhatBecameOfALostRemovalOfWhatAPlanSaw", "judging.Sent.TellUnread")
)

// written are the rules of a write that was sent: what its answer says, and what is done where that got lost.
var written = []Rule{
	// What an answer says.
	rule("A 409 that is not about the version is final", "cas.batch.overtaken", "never base", "TestConflictThatIsNotAboutTheVersionIsARefusal"),
	rule("What priority and fairness turned away was not written", "wire.isTurnedAway", "a == http.StatusTooManyRequests -> false", "TestPriorityAndFairnessIsWaitedForWhereOthersAreBusy"),
	rule("That others changed a ResourceQuota passes", "wire.Client.send", `without a && b.Kind == "resourcequotas"`, "TestCreationThatIsRefusedForABusyQuotaIsJudgedAgain/twice"),
	rule("Credentials are redacted where an error repeats them", "wire.redactor.RoundTrip", "never ReplaceAll", "TestCredentialsAreRedactedWhereAnErrorRepeatsThem"),
	// Sending again.
	rule("A request is sent once: client-go does not send it again", "wire.Client.once", "a.MaxRetries(0) -> a", "TestAnswerThatGotLostIsFoundOut/ConfigMap/429_after_the_write_landed"),
	rule("A JSON Patch is never sent again", "cas.batch.canRepeat", "!a.byKey -> true", "TestDelayedJSONPatchIsNeverSentAgain"),
	rule("A JSON Patch that was not found is looked for again, for it may be on its way", "cas.batch.follow", "wire.Pending -> wire.Stale", "TestJSONPatchThatNeverArrivesIsUnknownAfterAWhile"),
	rule("But not for longer than it may hold up its siblings", "cas.committer.settle", "time.Now().After(a) -> false", "TestJSONPatchThatNeverArrivesIsUnknownAfterAWhile"),
	rule("A 409 to what was sent again may be our own doing", "cas.committer.perform", "a == wire.Stale && b -> a == wire.Stale", "TestMergePatchThatIsSentAgainLandsOnce/the_first_lands"),
	rule("What is answered with 500 is not sent again for ever", "cas.doubt.add", "without IsInternalError", "TestWriteThatIsAnsweredWith500ForEverIsUnknownAfterAWhile/behind_it"),
	// After a cancel.
	rule("A slow request is not cut off early once its callers have left", "cas.committer.perform", "Grace - telling - looking -> looking", "TestSwapThatIsSlowAfterItsCallerGaveUpIsSentOnce/on_its_way"),
	rule("But it leaves time to look", "cas.committer.perform", "Grace - telling - looking -> Grace", "TestContextThatEndsAtEveryPoint"),
	// Looking.
	rule("A read that shows another's value does not prove that ours did not land first", "cas.committer.look", "a, b = c.settle(d, e) -> a, b = result{outcome: wire.Stale, now: e}, nil",
		"TestOursLandedThenTheirsThenOurRead"),
	rule("A watch that fails for a passing reason is asked again", "cas.committer.look", "without IsPassing", "TestFailedWatchIsAskedAgain"),
	rule("A lost answer is looked for from the horizon, also where the base is forgotten", "cas.batch.follow", "skip Since", "TestAPIServerIsStartedAgain/a_lost_answer_is_found_out_by_who_may_not_list"),
	rule("The horizon is learned anew before a write where it is too old", "cas.committer.next", "never Covers", "TestHorizonIsLearnedAnewBeforeAWrite"),
	rule("Where the horizon is forgotten too, it is looked for back through what etcd has kept", "cas.batch.settle", "never !wire.IsPassing(a) && !b.byKey", "TestAPIServerIsStartedAgain/a_swap_is_found_out,_it_landed"),
	rule("An event that is no object is not passed over", "wire.Client.events", "never RefusedError", "TestEventThatIsNoObjectIsNotPassedOver"),
	rule("That look back is repeated where it fails for a passing reason", "cas.batch.settle", "never IsUnanswered", "TestOneFailedListDoesNotMakeItUnknown"),
	// Found by a reader with fresh eyes.
	rule("A signed write that may have landed is not told as rejected where the read after a 409 fails", "cas.committer.perform", "never a && b.isSigned() && c",
		"TestSignedWriteThatLandedIsNotRejectedWhereTheLookFails"),
	rule("An unknown JSON Patch may land on any base", "cas.committer.newBatch", "without ByKey", "TestSwapThatAnUnknownJSONPatchMadeIsNotAnothersToo"),
	rule("It stays in doubt, whichever version comes", "cas.committer.settled", "without ByKey", "TestSwapThatAnUnknownJSONPatchMadeIsNotAnothersToo"),
	rule("A merge patch stays in doubt while the object is at its base", "cas.committer.settled", "a.Base != b -> true", "TestSwapThatAnUnknownOneMadeIsNotAnothersToo/the_other_is_lost"),
	rule("What is known is forgotten where a write is unknown", "cas.committer.finish", "skip forget", "TestWhatWasKnownBeforeAnUnknownWriteIsForgotten"),
	rule("An unknown creation may land in place of a later one", "cas.creating.settle", "without lostCreation", "TestCreationThatAnUnknownOneMadeIsNotAnothersToo"),
	rule("Who may not watch in one namespace may in another", "wire.Client.Read", `a.refuse(b.Kind, b.Namespace) -> a.refuse(b.Kind, "")`, "TestHorizonIsNotLostWithAForbiddenNamespace"),
	rule("A watch that is refused for the moment may be answered the next time", "wire.isUnsupported", "a && (b || c) -> a", "TestHorizonIsNotLostForEverWithOneWatch/the_token_has_just_expired"),
	rule("A watch that shows nothing does not hold up siblings", "cas.batch.follow", "wire.Watching -> 1000 * wire.Watching", "TestSilentWatchDoesNotHoldUpSiblings"),
	// What the object tells of whether a write landed.
	rule("A merge patch can only be the first version after its base", "cas.batch.follow", "without byKey", "TestOnlyTheFirstVersionAfterTheBaseCanBeAMergePatch"),
	rule("A JSON Patch is looked for in every version after the base", "cas.batch.follow", "a.byKey && b -> false", "TestLostAnswerOfAJSONPatchIsFoundOut"),
	rule("A removal of what shall be gone is done whoever made it", "cas.batch.sent", "!slices.ContainsFunc(a, b) -> true", "TestRemovalByAnotherIsNotClaimed"),
	rule("One that did more than ours ends the lineage", "cas.batch.isAllOf", "a.DigestWith(b) == c.digest -> true", "TestRemovalThatAnotherMadeIsNotTakenForOurs"),
	rule("Its labels count, though it was not read", "judging.Observation.DigestWith", "a.Labels() -> nil", "TestUnreadRemovalThatAnotherMadeAlongWithALabelEndsTheLineage"),
	rule("One that did just that does not", "cas.batch.verdict", "a && !b.isAllOf(c, d) -> a", "TestSiblingsOfARemovalWhoseAnswerGotLost"),
	// Whose it was. Another wrote: rule 1.
	tell("Keys that did not hold what it tests were not changed by it", "!a.GoneIsDone && b -> false", "TestJSONPatchCannotHaveLandedOnAnotherValueThanItExpects"),
	tell("Another object is not what the write led to", "never UID", "it is another object"),
	another("Who is among the many managers is nobody in particular", "without manyManagers", "TestWhoWroteByWhatIsGained/the_many", "managers that came among the many with our write"),
	another("What our own name gains shows no other", "a.isOurs(b) -> false", "just what it makes"),
	another("Another whose time is not as before has written", "a || !b.Empty() -> a && false || !b.Empty()", "another wrote later, who does not tell what it owns"),
	another("So has another who came to own a field", "a || !b.Empty() -> a || false && !b.Empty()", "another came to own something beside it"),
	rule("An earlier time is another time, too: clocks differ", "judging.Observation.gained", "!a.Time.Equal(b.Time) -> a.Time.After(b.Time)", "TestPolicyThatUndoesOurWriteByAnotherClock"),
	rule("Of a name that has gone there is none", "judging.Observation.gained", "without IsZero", "TestWhatBecameOfALostWrite/another_removed_all_that_was_ours"),
	rule("What a manager came to own is not known where it is not told what it owns", "judging.Observation.gained",
		`return &fieldpath.Set{}, a -> return fieldpath.NewSet(fieldpath.MakePathOrDie("data")), a`, "TestWhoWroteByWhatIsGained/another,_of_whom_nothing_was_told"),
	same("A manager is another one by another operation", "without Operation", "another, by another operation"),
	same("And through a subresource", "without subresource", "another, through a subresource"),
	rule("What we write is by Update", "judging.Sent.isOurWriter", "without Operation", "TestWhoWroteByWhatIsGained/ours,_by_apply"),
	rule("And to no subresource", "judging.Sent.isOurs", "without subresource", "TestWhoWroteByWhatIsGained/ours,_through_a_subresource"),
	stands("What we set and another owns was not set by us", "a.IsAbsent() || !slices.ContainsFunc(b, c) -> a.IsAbsent()", "another wrote the same value within the second"),
	stands("What we remove and anybody owns was not removed by us", "a.IsAbsent() || !slices.ContainsFunc(b, c) -> !a.IsAbsent() && !slices.ContainsFunc(b, c)",
		"what is to go is changed by its owner within the second", "what is to go is changed by our name within the second"),
	stands("What we remove and nobody owns shows no other", "a || len(b) == 0 && c.IsAbsent() -> a", "a removal"),
	stands("What we set and nobody owns was not set by us", "a || len(b) == 0 && c.IsAbsent() -> a || len(b) == 0", "another removed it",
		"TestWriteDidNotLandWhoseKeyNobodyOwns"),
	anothers("What our name gained beside what we set was not ours", "a && (b || c) -> false", "a twin of our name set another key", "a twin of our name set a label"),
	// Nothing of it is there: rule 2.
	tell("What leaves our keys as they are is not ours", "a || b.at(c) != d.at(c) -> true", "nothing that it changes differs", "a twin changed another key of our name's, later"),
	tell("But for where our name has come to own one of them, and admission undid it", "a || b && !c.hasChanged(d, e) -> b && !c.hasChanged(d, e)", "admission undid it, and our name has come to own it, signed"),
	tell("Or has another time", "a || b && !c.hasChanged(d, e) -> a", "admission undid it, which was ours, and set something else"),
	tell("That nothing else is there for", "a && !b.hasChanged(c, d) -> a", "a twin changed another key of our name's, later",
		"TestWhatBecameOfALostWriteOfFields/a_twin_changed_another_field_of_our_name's"),
	tell("Or where what was to go is there, and nobody's any more", "a && len(b) > 0 && c && len(d) == 0 -> false", "admission undid a removal"),
	rule("What is only compared tells nothing of whose write it was", "judging.FieldsOf", "never Writes", "TestWhatBecameOfALostWrite/nothing_differs,_and_what_is_compared_does"),
	// All of it is there, and ours: rule 3.
	tell("What is gone as it shall be has landed", "a && b.GoneIsDone -> false", "a removal of what shall be gone"),
	tell("Where it matters who removed it, that is unknown", "a && b.GoneIsDone -> a", "a removal"),
	tell("What is to go and is still there is not done", "a.IsAbsent() || b -> true", "what is to go is something else, and nobody's"),
	tell("What we set must be ours", "never errUnowned", "nobody is told", "the owner is among the many", "TestSameWriteByAnotherIsNotClaimedWhereNobodyIsTold/signed"),
	owns("It is not where what it sets is not told to be ours", "a != isOwn && a != isKept -> false", "two keys, of which one is among the many"),
	owns("What we remove need not be ours", "never IsAbsent", "one is set, and one is removed"),
	tell("What admission changed may be a twin's", "a && !b && (c || d || e) -> !b && (c || d || e)", "admission changed it"),
	tell("An earlier write in doubt may have made it", "a && !b && (c || d || e) -> a && (c || d || e)", "TestEarlierWriteMayHaveMadeTheVersion/a_merge_patch_on_that_base"),
	tell("A key that we came to own shows that we wrote", "a || b || c.isAllOf(d, e) -> b || c.isAllOf(d, e)", "a policy changed another's key along with our write within the second"),
	tell("So does another time of ours", "a || b || c.isAllOf(d, e) -> a || c.isAllOf(d, e)", "our own key later, and another one with it"),
	tell("So does that nothing else has changed", "a || b || c.isAllOf(d, e) -> a || b", "just what it makes, of our own key within the second"),
	rule("Not where somebody may have applied it as stringData", "judging.Observation.hidesWriters", "o.kind == Secret && a && b -> false",
		"TestKeyThatAnotherAppliesAsStringDataIsNotOurs"),
	rule("Nor where the API server kept no account", "judging.Sent.isAllOf", "never hidesWriters", "TestWriteOfWhichNoAccountIsKeptIsUnknown/another's,_of_our_field",
		"TestWhatBecameOfALostWriteOfFields/ours_within_the_second,_or_another's_of_which_no_account_was_kept"),
	anothers("What another owns was not set by him where the API server kept no account", "never hidesWriters", "TestWriteOfWhichNoAccountIsKeptIsUnknown/ours,_of_another's_field",
		"TestWhatBecameOfALostWriteOfFields/another's_within_the_second,_or_ours_of_which_no_account_was_kept"),
	differs("Not where something else has", "maps.Equal(a, b) -> true", "our own key within the second, and another one with it"),
	differs("As a finalizer", "slices.Equal(a, b) -> true", "TestWhatElseAVersionDiffersBy"),
	differs("Or an owner", "without DeepEqual", "TestRemovalThatAnotherMadeAlongWithAnOwnersEndsTheLineage"),
	differs("Or that it is being deleted", "a.Equal(b) -> true", "TestWhatElseAVersionDiffersBy"),
	// It is ours, and can only be of this write: rule 4.
	tell("Only a signature shows that what admission changed is ours", "a.IsSigned && !b && (c || d) -> !b && (c || d)", "admission changed it"),
	tell("What is signed is ours, as admission changed it", "a.IsSigned && !b && (c || d) -> false", "admission changed it, signed"),
	tell("Not where an earlier one of the signature is in doubt", "a.IsSigned && !b && (c || d) -> a.IsSigned && (c || d)", "signed, and an earlier one of the signature is in doubt"),
	tell("Signed, a key that we came to own shows that we wrote", "a.IsSigned && !b && (c || d) -> a.IsSigned && !b && d", "admission changed it, signed, within the second"),
	tell("Signed, so does another time of ours", "a.IsSigned && !b && (c || d) -> a.IsSigned && !b && c", "admission changed it, signed, of our own key"),
	tell("Signed, what is ours since before shows nothing", "a.IsSigned && !b && (c || d) -> a.IsSigned && !b", "admission changed it, signed, of our own key within the second"),
	// What an earlier write in doubt can have made.
	leads("A merge patch in doubt can have landed on its base alone", "a.ByKey || b -> true", "a merge patch on another base"),
	leads("A JSON Patch in doubt can have landed on any version", "without ByKey", "a JSON Patch on another base"),
	rule("Where its keys held what it tests", "judging.canLandOn", "a.Entry(b) != c -> false",
		"TestEarlierWriteMayHaveMadeTheVersion/a_JSON_Patch_of_foo_from_another_value", "TestJSONPatchCannotHaveLandedOnAnotherValueThanItExpects"),
	rule("Where all that it changes differs", "judging.Doubt.leads", "a.at(b) == c.at(b) -> false", "TestVersionIsNotOursThatIsJustWhatAnEarlierWriteMakes/a_swap,_and_it_alone_changed"),
	leads("And nothing shows that another made it", "return !Sent{Manager: a.Manager, Changes: b}.isAnothers(c, d, e) -> return true", "a merge patch under another name"),
	// Of a removal whose base was not read.
	unread("Unread, what is gone as it shall be has landed", "without IsAbsent", "all is gone"),
	unread("Unread, what is only compared tells nothing", "without Writes", "all is gone"),
	unread("Unread, what is as it was has not gone", "a && b.Holds(c) -> false", "one is as it was", "one is in another normal form"),
	unread("Unread, of what it held nothing is known where any value may go", "a && b.Holds(c) -> b.Holds(c)", "one may be as it was"),
	unread("Unread, what somebody owns was set since", "a && len(b) > 0 -> false", "one is another's"),
	unread("Unread, what nobody owns may be what admission made of ours", "without len(a) > 0", "one is nobody's beside an owner"),
	rule("Who owns a key is told where there are many managers too", "judging.Observation.OwnersOf", "!a.fields.Has(b) -> !a.fields.Has(b) && a.Manager != manyManagers",
		"TestWhatBecameOfALostWrite/managers_that_came_among_the_many_with_our_write"),
	// Signatures.
	rule("A key that is ours still proves a signed write", "cas.batch.settle", "never isProven", "TestSignedWriteIsSettledWithoutWatch"),
	rule("Who owns the key proves it, not that it was changed", "judging.Sent.IsProven", "a.Owns(b, c) -> true", "TestWhatProvesASignedWrite"),
	rule("And only where we wrote since, or nothing else differs", "judging.Sent.IsProven", "a || b || c -> true", "TestPolicyThatMakesWhatALostNumberWouldIsNoProof"),
	rule("And nobody else shows", "judging.Sent.IsProven", "without HasAnother", "TestWhatProvesASignedWrite", "TestPolicyThatMakesWhatALostNumberWouldIsNoProofWhereAllElseIsAsBefore"),
	rule("A write begins managedFields where there are none", "cas.batch.request", "judging.MergePatch(a, b, c, d.firstOwner()) -> judging.MergePatch(a, b, c, nil)", "TestSignedWriteIsToldFromATwins"),
	rule("A signed write that was sent twice on the way is found out", "cas.batch.overtaken", "never isProven", "TestSignedWriteThatIsSentTwiceOnTheWayIsFoundOut"),
	// After a write whose verdict is unknown.
	rule("After a signed write that is unknown there is a new signature, so that it is not taken for a later one", "cas.committer.doubts", "skip newSignature",
		"TestNumberThatAnUnknownWriteTookIsNotGivenAgain"),
	rule("Without a signature, what an unknown write on the same base would make is not known for a later one's", "cas.committer.doubts", "append(a, b) -> a",
		"TestSwapThatAnUnknownOneMadeIsNotAnothersToo/the_other_is_lost"),
	rule("A later one goes by all that are in doubt", "cas.batch.sent", "without Earlier", "TestWriteInDoubtIsNotForgottenForALaterOne"),
	rule("Or one that was sent before it, and is in doubt", "cas.task.claim", "skip before", "TestUnknownNumberIsOneOfThoseThatWereSent"),
	rule("A number that may be taken is the one that was sent", "cas.task.claim", "a.sent.Store(b) -> a.sent.CompareAndSwap(nil, b)", "TestUnknownNumberIsTheOneThatWasSent"),
	rule("A watch that breaks off is asked again before a write is told of a later version than its own", "cas.committer.settle", "a.proven, b = &c, nil -> return c",
		"TestSignedWriteIsSettledByAnotherWatchWhereOneBreaksOff"),
	rule("What a look has proven stays proven", "cas.doubt.unknown", "never proven", "TestWhatALookHasProvenStaysProven"),
	rule("Who was interrupted is not told that the time was over", "cas.noAnswer", "always DeadlineExceeded", "TestWriteWithoutAnAnswerSaysWhyItsWaitEnded/interrupted"),
}
