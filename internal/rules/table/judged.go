package table

// judged are the rules of judging, of reads that are worth a verdict, and of the lineage.
var judged = []Rule{
	rule("The key is judged as well as the version", "judging.Txn.judgeKeys", "!a.Holds(b.Expect) -> len(self.At) == 0 && !a.Holds(b.Expect)",
		"TestKeyThatASiblingWroteIsAConflictThoughTheLineageLeads"),
	rule("What changes nothing is not sent", "judging.Txn.judgeAll", "never Writes", "TestWriteThatChangesNothingIsNotSent",
		"TestWhatAnotherWroteIsNotTakenForMetadataThatChangesNothing"),
	rule("What has no room behind a removal waits for it", "cas.committer.judgeAll", "len(a) > 0 && errors.As(b, c) -> false",
		"TestRemovalMakesRoomForWhatIsAskedForBehindIt"),
	rule("What has no room does not wait for a removal behind it", "cas.committer.judgeAll", "without len(a) > 0",
		"TestWhatHasNoRoomDoesNotWaitForARemovalBehindIt"),

	// Transactions.
	rule("A transaction tells every key that does not hold", "judging.Txn.judgeKeys",
		"return nil, &ConflictError{Reason: a, Ref: b, Keys: c, At: d, Live: e} -> return nil, &ConflictError{Reason: a, Ref: b, Keys: c[:1], At: d, Live: e}",
		"TestTxnTellsEveryKeyThatDoesNotHoldAndWritesNothing"),
	rule("What is only compared is not done with its being gone", "judging.Txn.judgeKeys", "a.GoneIsDone && !b.IsGuard && c -> a.GoneIsDone && c",
		"TestGuardOfARemovalIsComparedAndStays"),
	rule("Nor is metadata done with the keys' being gone", "judging.Txn.judgeAll", "a.allGone(b) && c -> a.allGone(b)",
		"TestRemovalWithMetadataIsNotDoneWhereTheKeysAreGone"),

	// What is not a write needs a read of its own.
	rule("A conflict is told from a read that began after the swap was asked for", "cas.committer.isCurrent",
		"a != judging.DecideRefuse && b -> a == judging.DecideRefuse || b", "TestConflictIsToldFromAReadOfItsOwn"),
	rule("So are an adoption, and that a key is gone already", "cas.committer.isCurrent", "a != judging.DecideRefuse && b -> a == judging.DecideDone || b",
		"TestAdoptionIsToldFromAReadOfItsOwn"),
	rule("Shared reads may inform; what would refuse is read afresh", "cas.committer.isCurrent", "without DecideRefuse",
		"TestChecksWriteNothingAndShareReads"),
	rule("A read is linearizable: it names no version to be content with", "wire.Client.Get", `a.Name(b) -> a.Name(b).Param("resourceVersion", "0")`,
		"TestReadsNameNoVersion"),
	rule("A refresh drops an entry from the state only on a read of its own", "claim.Run.Observe", "never a > 0",
		"TestAbsenceInARefreshIsToldFromAReadOfItsOwn"),
	rule("Absence is only what the API server itself says of this object", "wire.isAbsence", "a && !apierrors.HasStatusCause(b, c) -> true",
		"TestPlainNotFoundIsNotAbsence"),
	rule("Metadata of the same version alone saves a read", "wire.Client.refresh",
		"(judging.Version{UID: a, ResourceVersion: b}) == c -> (judging.Version{UID: a, ResourceVersion: c.ResourceVersion}) == c",
		"TestLargeObjectIsReadAgainOnlyWhereItChanged"),
	rule("A read that failed is tried again", "wire.Client.GetPatiently", "5 -> 0", "TestOneFailedLookAfterARefusalDoesNotFailTheSwaps/500",
		"TestOneFailedReadDoesNotFailTheSwapsThatWaitForIt/503"),
	rule("But a few times only", "wire.Client.GetPatiently", "5 -> 10", "TestReadsThatAlwaysFailAreToldAfterAFew"),

	// Checks and rehearsals.
	rule("A check does not count as having swapped", "cas.Engine.look", "a.maxAge = Fresh -> self.swapped.Store(true); a.maxAge = Fresh",
		"TestChecksWriteNothingAndShareReads"),
	rule("A rehearsal is a dry run", "wire.Client.send", "skip Param", "TestRehearsalChangesNothing"),
	rule("A delete is rehearsed by its body", "wire.Client.Remove", "skip DryRun", "TestRehearsalChangesNothing"),
	rule("Of two rehearsals of a key both are sent", "cas.committer.judgeAll", "without !a.blocks(b)", "TestRehearsalsOfOneKeyAreSentEachByItself"),
	rule("A rehearsal whose answer got lost is an error, and nothing is unknown", "cas.committer.perform",
		"result{outcome: wire.Unsent, err: a.Explain(b, c, d)} -> result{outcome: wire.Passing, err: b}", "TestRehearsalWhoseAnswerGotLostIsAnError"),

	// Lineage.
	rule("A version that came about otherwise begins a new chain", "judging.Lineage.Observed", "skip Cut", "TestForeignWriteStopsAllThatWasNotWrittenYet",
		"TestLineageGoesOnThroughOwnWritesOnly"),
	rule("Only a write that was conditional on the head extends the chain", "judging.Lineage.Wrote", "a.Observed(b) -> if a.seen == nil { a.Observed(b) }",
		"TestLineageGoesOnThroughOwnWritesOnly"),
	rule("A JSON Patch ends the lineage", "cas.batch.landed", "without byKey", "TestLineageEndsAtAJSONPatch"),
	rule("What was proven by a later read ends the lineage", "cas.batch.landed", "without isLater", "TestSignedWriteIsSettledWithoutWatch"),
	rule("A removal of what nobody knows the rest of ends the lineage where it was found out to have landed", "cas.committer.wrote", "skip Cut",
		"TestRemovalOfWhatNobodyKnowsTheRestOfEndsTheLineage"),
	rule("What this process wrote is not removed for an older observation", "judging.Txn.judgeVersions", "never WroteSince",
		"TestKeyThatThisProcessWroteIsNotRemovedForAnOlderObservation"),
	rule("Nor is what this process adopted", "cas.committer.adopted", "skip Took", "TestAdoptedKeyIsNotRemovedForAnOlderObservation"),
	rule("Nor does a write that changes nothing hide that it was adopted", "judging.Lineage.Wrote", "max(a, b) -> b",
		"TestWriteThatChangesNothingDoesNotHideThatAKeyWasAdopted"),
	rule("It leaves what this apply itself wrote or adopted", "judging.Txn.judgeVersions", "never WroteSince",
		"TestDeposedKeyThatAnotherResourceAdoptedIsNotRemoved"),
}

// whole are the rules of what is about a ConfigMap as such, and of waiting.
var whole = []Rule{
	rule("A delete is conditional on the version", "wire.Client.Remove", "without ResourceVersion", "TestRemoveIsConditionalOnTheVersion",
		"TestRemoveThatIsOvertakenIsAConflict"),
	rule("A creation is one request: what is there already is found out by trying", "cas.committer.whole", "never TooLarge",
		"TestCreateIsOneRequestAndBeginsTheLineage"),
	rule("What a creation wrote counts as this process's", "cas.creating.landed", "a.create.Entries -> map[string]judging.Entry{}",
		"TestKeyThatACreationWroteIsNotRemovedForAnOlderObservation"),
	rule("What has the name after a creation in doubt may be another's", "cas.creating.settle", "a.wasAbsent && b && c -> a.wasAbsent",
		"TestCreateWhoseAnswerGotLost/ConfigMap/another_one_came_first"),
	rule("It is known for ours only where it was seen that there was none", "cas.creating.settle", "a.wasAbsent && b && c -> c",
		"TestCreateWhoseAnswerGotLost/ConfigMap/it_landed_and_nobody_looked_before"),
	rule("That there was none is seen also before it is sent again", "cas.creating.settle", "skip a.wasAbsent = true",
		"TestCreateThatLandsWhenItIsSentAgain"),
	rule("What our own delete leaves is known", "cas.removing.landed", "a.observed(b) -> a.forget()", "TestCreateAfterOurOwnRemovalWhoseAnswerGotLost"),
	rule("A second refusal as existing of what is not there is final", "cas.creating.overtaken", "never overtaken",
		"TestRefusalAsExistingOfWhatIsNotThereIsFinal"),
	rule("A refusal of a delete that is not about the version is final", "cas.removing.overtaken", "never wire.Pending",
		"TestRemovalThatAWebhookRefusesIsARefusal"),
	rule("A rehearsed delete tells what it was judged on", "cas.committer.whole", "a == writeTask && b.remove != nil -> a != checkTask && b.remove != nil",
		"TestRehearsedRemovalTellsWhatIsThere/as_it_was_seen"),
	rule("A rehearsed delete is not taken for one that was made", "cas.removing.landed", "never isDry", "TestRehearsalIsNeverTakenForWhatWasWritten"),

	// Waiting.
	rule("Waiting is for what keys hold, and nothing else", "cas.MayYetHold", "a.Reason != ReasonKey -> false", "TestWaitIsNotForWhatAnotherKeyRefuses"),
	rule("An immutable ConfigMap is not waited for", "cas.MayYetHold", "without Immutable", "TestImmutableConfigMapIsNotWaitedFor"),
	rule("A watch that ended is begun again", "cas.Engine.await", "without IsPassing", "TestWaitOutlivesWatchesThatEnd"),
	rule("A wait whose version is forgotten goes on from a fresh watch, and does not read again and again", "cas.Engine.await", `a = "" -> return nil`,
		"TestWaitDoesNotPollWhereEveryVersionIsForgotten"),
}

// secrets are the rules of the second kind, and of what is said of its values.
var secrets = []Rule{
	rule("No error quotes a value of a Secret", "wire.Withhold", "skip Withheld", "TestRefusalQuotesNothingOfASecret", "TestAnswersThatQuoteASecret"),
	rule("A value of a Secret that only the live object holds is not quoted", "cas.committer.withhold", "a.head.Entries() -> map[string]Entry{}",
		"TestAnswersThatQuoteASecret/what_is_there_is_quoted"),
	rule("Where a Secret was not seen, any words may quote it", "cas.removing.values", "false -> true",
		"TestRefusalQuotesNothingOfASecret/removal_without_a_read/Secret"),
	rule("What authorization says of a Secret is told", "wire.Withhold", "without isAuthorizers", "TestForbiddenWriteOfASecretIsToldInFull"),
	rule("A short value of a Secret is found in what is said", "wire.quotes", `a != "" && strings.Contains(b, c) -> false`,
		"TestAnswersThatQuoteASecret/a_short_one"),
	rule("Base64 of a value is a quotation", "wire.quotes", `base64.StdEncoding.EncodeToString(a) -> ""`, "TestAnswersThatQuoteASecret/base64"),
	rule("Neither bodies nor warnings of a Secret are logged", "wire.Client.ask", "skip WarningHandler", "TestNothingOfASecretIsLogged/Secret"),

	// Kinds.
	rule("A Secret holds bytes, whichever way they are given", "judging.Txn.Stored", "skip Expect", "TestSwapThatHoldsIsWritten/Secret"),
	rule("managedFields have what a Secret holds in data", "judging.Kind.path", "a.wire(b) -> b",
		"TestKeyOfAnOwnerWhoHasNotWrittenSinceTellsThatNothingLanded/Secret"),
	rule("A JSON Patch of a Secret tests what is in data", "judging.Kind.location", "a.wire(b) -> b", "TestKeysOfABusySecret"),
	rule("A key is absent from a Secret where data has none of it", "judging.absence", "a.wire(b) -> b", "TestKeysOfABusySecret"),
	rule("Each kind has a horizon of its own", "wire.Client.Horizon", "a.Kind -> 0", "TestHorizonOfEachKind"),
	rule("A Secret is made with its type", "judging.Creation.Object", `a.Type -> ""`, "TestSecretIsMadeWithItsType"),
	rule("A creation that asks for no type is found out about", "judging.Creation.Stored", "skip usualType", "TestCreateWhoseAnswerGotLost/Secret"),
}
