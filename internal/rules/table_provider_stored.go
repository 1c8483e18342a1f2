package main

// providerStored are rules of what the provider keeps: state, private state, imports and moves.
var providerStored = []rule{
	{
		"provider: a refresh after an import notes what the entry found",
		provider + "/configmap_entry_resource.go",
		"if !known && !lost {",
		"if false {\n\t\t_, _ = known, lost",
		acceptance,
		[]string{"TestDestroyRestoresTheExactBytesThatWereThereFirst/bytes_that_were_imported"},
	},
	{
		"provider: a refresh shows that an entry's value drifted",
		provider + "/configmap_entry_resource.go",
		"if !live.Holds(state.entry()) {",
		"if false {",
		acceptance,
		[]string{"TestConfigMapEntryImportBlocks"},
	},
	{
		"provider: a refresh of an entry takes the version that it saw",
		provider + "/configmap_entry_resource.go",
		"\tstate.setVersion(seen.Version())\n",
		"",
		acceptance,
		[]string{"TestConfigMapEntryPreviousValue"},
	},
	{
		"provider: an entry notes what its key held at first",
		provider + "/configmap_entry_resource.go",
		"resp.Diagnostics.Append(setPrivate(ctx, resp.Private, privateOriginal, originals{plan.entryID().Key: previous})...)",
		"_ = previous",
		acceptance,
		[]string{"TestPlanCheckDestroyAfterDrift/warning"},
	},
	{
		"provider: an update of an entry drops what a removal would have gone by",
		provider + "/configmap_entry_resource.go",
		"resp.Diagnostics.Append(dropObservation(ctx, resp.Private)...)\n\tif plan.entry()",
		"if plan.entry()",
		acceptance,
		[]string{"TestHidingForgetsWhatWasReplaced/known"},
	},
	{
		"provider: an imported entry has every default",
		provider + "/configmap_entry_resource.go",
		`"conflict_scope": scopeObject, `,
		"",
		acceptance,
		[]string{"TestConfigMapEntryImportBlocks"},
	},
	{
		"provider: a number stays as it is in the plan where triggers do not change",
		provider + "/configmap_counter_resource.go",
		"if !plan.takesAfter(&state) {",
		"if false {",
		acceptance,
		[]string{"TestCounterOfUnknownArguments"},
	},
}
