package main

// providerStored are rules of what the provider keeps: state, private state, imports and moves.
var providerStored = []rule{
	{
		"provider: a refresh after an import notes what the entry found",
		provider + "/adapter/keys.go",
		"resp.Diagnostics.Append(seen.Found(ctx, resp.Private)...)",
		"",
		acceptance,
		[]string{"TestDestroyRestoresTheExactBytesThatWereThereFirst/bytes_that_were_imported"},
	},
	{
		"provider: a refresh shows that an entry's value drifted",
		provider + "/configmap/entry.go",
		"if !live.IsAbsent() && !live.Holds(m.entry()) {",
		"if false {",
		acceptance,
		[]string{"TestConfigMapEntryImportBlocks"},
	},
	{
		"provider: a refresh of an entry takes the version that it saw",
		provider + "/adapter/keys.go",
		"P(&state).Shared().SetVersion(seen.Version())",
		"",
		acceptance,
		[]string{"TestConfigMapEntryPreviousValue"},
	},
	{
		"provider: an entry notes what its key held at first",
		provider + "/claim/write.go",
		"now.first[key] = was.sealer.entry(result.Previous[key])",
		"",
		acceptance,
		[]string{"TestDestroyRestoresTheExactBytesThatWereThereFirst/text,_after_two_updates"},
	},
	{
		"provider: an update of an entry drops what a removal would have gone by",
		provider + "/claim/write.go",
		"diags.Append(Forget(ctx, private)...)\n\tif !c.Changes(held) {",
		"if !c.Changes(held) {",
		acceptance,
		[]string{"TestHidingForgetsWhatWasReplaced/known"},
	},
	{
		"provider: an imported entry has every default",
		provider + "/adapter/keys.go",
		"ConflictScope: types.StringValue(terms.ScopeObject), ",
		"",
		acceptance,
		[]string{"TestConfigMapEntryImportBlocks"},
	},
	{
		"provider: a number stays as it is in the plan where triggers do not change",
		provider + "/configmap/counter.go",
		"if !plan.takesAfter(&state) {",
		"if false {",
		acceptance,
		[]string{"TestCounterOfUnknownArguments"},
	},
}
