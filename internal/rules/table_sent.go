package main

// sent are the rules of a write that was sent: what its answer says, and what is done where it got lost.
var sent = []rule{
	// What an answer says.
	{
		"A 409 that is not about the version is final",
		engine + "/batch.go",
		"case now.Version() == b.base && !b.byKey:",
		"case false:",
		engine,
		[]string{"TestConflictThatIsNotAboutTheVersionIsARefusal"},
	},
	{
		"What priority and fairness turned away was not written",
		engine + "/client.go",
		"case report.turnedAway(), isQuotaConflict(err):",
		"case isQuotaConflict(err):",
		engine,
		[]string{"TestPriorityAndFairnessIsWaitedForWhereOthersAreBusy", "TestPriorityAndFairnessOutlastsTheCaller/patch"},
	},
	{
		"That others changed a ResourceQuota passes",
		engine + "/client.go",
		"case report.turnedAway(), isQuotaConflict(err):",
		"case report.turnedAway():",
		engine,
		[]string{"TestCreationThatIsRefusedForABusyQuotaIsJudgedAgain/twice"},
	},
	{
		"Credentials are redacted where an error repeats them",
		engine + "/redact.go",
		`if secret != "" {`,
		"if false {",
		engine,
		[]string{"TestCredentialsAreRedactedWhereAnErrorRepeatsThem"},
	},

	// Sending again.
	{
		"A write is sent once: client-go does not send it again",
		engine + "/client.go",
		".MaxRetries(0)",
		"",
		engine,
		[]string{
			"TestAnswerThatGotLostIsFoundOut/429_after_the_write_landed",
			"TestAnswerThatGotLostIsFoundOut/503_after_the_write_landed",
		},
	},
	{
		"A JSON Patch is never sent again",
		engine + "/batch.go",
		"func (b *batch) canRepeat() bool { return !b.byKey }",
		"func (b *batch) canRepeat() bool { return true }",
		engine,
		[]string{"TestDelayedJSONPatchIsNeverSentAgain"},
	},
	{
		"A JSON Patch that was not found is looked for again, for it may be on its way",
		engine + "/evidence.go",
		"r.outcome = pending",
		"r.outcome = stale",
		engine,
		[]string{"TestJSONPatchThatNeverArrivesIsUnknownAfterAWhile"},
	},
	{
		"But not for longer than it may hold up its siblings",
		engine + "/write.go",
		"if !isLimited && (d.failures > 0 || !w.canRepeat()) {",
		"if !isLimited && d.failures > 0 {",
		engine,
		[]string{"TestJSONPatchThatNeverArrivesIsUnknownAfterAWhile"},
	},
	{
		"A 409 to what was sent again may be our own doing",
		engine + "/write.go",
		"case out == stale && d.first == nil:",
		"case out == stale:",
		engine,
		[]string{"TestMergePatchThatIsSentAgainLandsOnce/the_first_lands"},
	},
	{
		"What is answered with 500 is sent again three times at most",
		engine + "/write.go",
		"case d.failures > maxRepeats:",
		"case false:",
		engine,
		[]string{"TestWriteThatIsAnsweredWith500ForEverIsSentFourTimesAtMost"},
	},

	// After a cancel.
	{
		"A slow request is not cut off early once its callers have left",
		engine + "/write.go",
		"once, done := lingering(ctx, callers, Grace-telling-looking)",
		"once, done := lingering(ctx, callers, looking)",
		engine,
		[]string{
			"TestSwapThatIsSlowAfterItsCallerGaveUpIsSentOnce/on_its_way", "TestSwapThatIsSlowAfterItsCallerGaveUpIsSentOnce/in_being_answered",
		},
	},
	{
		"But it leaves time to look",
		engine + "/write.go",
		"once, done := lingering(ctx, callers, Grace-telling-looking)",
		"once, done := lingering(ctx, callers, Grace)",
		engine,
		[]string{"TestContextThatEndsAtEveryPoint"},
	},

	// Looking.
	{
		"A read that shows another's value does not prove that ours did not land first",
		engine + "/write.go",
		"r, err := w.settle(once, now)",
		"r, err := result{outcome: stale, now: now}, error(nil)",
		engine,
		[]string{"TestOursLandedThenTheirsThenOurRead"},
	},
	{
		"A watch that fails for a passing reason is asked again",
		engine + "/write.go",
		"if err != nil && !isPassing(err) {",
		"if err != nil {",
		engine,
		[]string{"TestFailedWatchIsAskedAgain"},
	},
	{
		"A lost answer is looked for from the horizon, also where the base is forgotten",
		engine + "/evidence.go",
		"since = b.from.since.version",
		"_ = b.from.since.version",
		engine,
		[]string{"TestLostAnswerIsFoundOutByWhoMayNotListWhereTheBaseIsForgotten"},
	},
	{
		"The horizon is learned anew before a write where it is too old",
		engine + "/committer.go",
		"if write != nil && write.from != nil && !c.client.horizon.covers(c.head.since, c.client.now()) {",
		"if false {",
		engine,
		[]string{"TestHorizonIsLearnedAnewBeforeAWrite"},
	},
	{
		"Where the horizon is forgotten too, it is looked for back through what etcd has kept",
		engine + "/evidence.go",
		"if isExpired(err) && !b.byKey && b.from != nil {",
		"if false {",
		engine,
		[]string{"TestSwapIsFoundOutWhereTheAPIServerForgetsBetweenWriteAndLook"},
	},
	{
		"A key that is as it was, and whose owner has not written since, shows that the write did not land",
		engine + "/evidence.go",
		"case b.isDisproven(now):",
		"case false:",
		engine,
		[]string{"TestKeyOfAnOwnerWhoHasNotWrittenSinceTellsThatNothingLanded"},
	},
	{
		"Not so where its owner has",
		engine + "/evidence.go",
		"return !w.Time.Before(before)",
		"return false",
		engine,
		[]string{"TestSignedWriteIsSettledWithoutWatch", "TestKeyOfAnOwnerWhoHasWrittenSinceTellsNothing"},
	},
}
