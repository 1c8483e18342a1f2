package table

var (
	lost  = subtests("TestWhatBecameOfALostWriteOfFields", "judging.Sent.standing")
	parts = subtests("TestWhatBecameOfALostWriteOfFields", "judging.Observation.leaves")
)

// fields are the rules of fields of objects of any kind.
var fields = []Rule{
	// Paths and values.
	rule("An index is no path", "fieldpaths.noSelector", "never Atoi", "TestWhatIsNoPathSaysHowToWriteIt"),
	rule("A name with dots below labels is in quotes", "fieldpaths.Parse", "never undotted", "TestWhatIsNoPathSaysHowToWriteIt"),
	rule("A selector has its keys in one order", "fieldpaths.parser.bracket", "skip a.Sort()", "TestPathHasOneSpelling"),
	rule("Elements that are selected by different values are two", "fieldpaths.mayBeOne", "never a.Name == b.Name", "TestOverlap"),
	rule("Values of a Secret are not for fields", "fieldpaths.Check", "never a == \"Secret\"", "TestRefusedPaths"),
	rule("A number has one form", "judging.number", "never IsInt", "TestValueHasOneForm"),
	rule("A null in a value is an error", "judging.CanSet", "refusesNulls -> keepsNulls", "TestWhatIsNoValueOfAField"),
	// What a path leads to.
	rule("A selector that selects several is an error", "judging.step", "never a >= 0", "TestPathThatDoesNotFitTheObject/several_elements"),
	rule("An element that is not there is not made by halves", "judging.Observation.canHold", "never a[b].FieldName == nil", "TestPathThatDoesNotFitTheObject/an_element_that_is_not_there"),
	rule("An element holds what selects it", "judging.CanSet", "a == nil && !b.IsAbsent() && !fieldpaths.Selects(c, d) -> false", "TestPathThatDoesNotFitTheObject/an_element_that_would_not_be_it"),
	rule("No element is written beside a null", "judging.Observation.canHold", "never hasNull", "TestNullBesideAnElement"),
	rule("What an update cannot find or take apart is refused", "claim.Change.updateTxn", "never Tangled", "TestDroppedPathOfAnotherVersion", "TestPartOfWhatWasWhole"),
	rule("Entries and fields do not go together", "judging.Observation.Field", "never errShape", "TestFieldsWithoutAVersionAreRefused"),
	rule("A member of another spelling is no metadata", "judging.ObservedFields", `exactly.Unmarshal(a, b) -> exactly.Unmarshal([]byte(strings.Replace(string(a), "Metadata", "metadata", 1)), b)`, "TestMemberThatIsSpelledAsMetadataIsAnother"),
	rule("A field is not written where that would change text", "judging.Txn.judgeAll", "never errNoUTF8", "TestFieldIsNotWrittenWhereThatWouldChangeText"),
	// Requests.
	rule("An unknown field is refused", "wire.Client.Patch", "never APIVersion", "TestRefusalOfAFieldSaysItsCause/unknown_field"),
	rule("A refusal quotes no object", "wire.Client.send", "never shorten", "TestRefusalOfAFieldSaysItsCause/unknown_field"),
	rule("A JSON Patch tests the elements on its way", "judging.Observation.operationsOnFields", "selecting(a, b, c) -> selecting(a, b[:0], c)",
		"TestElementThatMovesInItsListIsNotMistaken", "TestElementThatComesBeforeOneOfTheSameSelectorIsNotMistaken"),
	rule("It removes the last element first", "judging.Observation.operationsOnFields", "cmp.Or(a, b) -> cmp.Or(a, b-b)", "TestElementsOfOneListAreChangedTogether"),
	rule("And the innermost first", "judging.Observation.operationsOnFields", "cmp.Or(a, b) -> cmp.Or(a-a, b)", "TestElementsOfOneListAreChangedTogether"),
	rule("Where others are busy, fields go as JSON Patch", "judging.JSONPatch", "never a.fields != nil", "TestFieldsAreSwappedThoughAControllerAlwaysComesFirst"),
	rule("A part of what is about to be written waits", "cas.keySet.blocks", "never overlap", "TestOverlappingPathsGoIntoTwoRequests"),
	rule("So does what selects by a field that is about to be written", "fieldpaths.selectsBy", "a.Key != nil -> false", "TestSwapOfWhatAnotherSelectsByGoesIntoItsOwnRequest"),
	rule("Hidden fields are not quoted", "cas.batch.hides", "a.txn.Hides -> false", "TestHiddenFieldsAreNotQuoted"),
	rule("What else a Secret holds is not known from its fields", "cas.committer.withhold", "without APIVersion", "TestRefusalOfASecretsMetadataQuotesNothing"),
	// Kinds.
	rule("A bare 404 does not say that a version is not served", "wire.Client.lacks", "never Contains", "TestKindThatIsNotServed"),
	rule("Nor does an empty list", "wire.Client.lacks", "without len(a) > 0", "TestBare404SaysNothingOfAKind/no_list_of_all"),
	rule("A kind that the list lacks is not served", "wire.Client.resolve", "never NotServedError", "TestKindThatIsNotServed"),
	rule("A namespace fits the kind", "wire.kinds.fitting", "without Namespaced", "TestNamespaceThatDoesNotFitTheKind"),
	rule("A kind may come again in the other scope", "wire.Client.discover", "c.kinds.fitting(a, b) -> c.kinds.of(a, b.Kind)", "TestKindThatComesInAnotherScope"),
	rule("A bare 404 has the kind asked for again", "wire.Client.ask", "never IsNotFound", "TestKindThatComesInAnotherScope"),
	rule("What is sent to where a kind is no more is not written", "wire.Client.send", "never isExplained", "TestKindThatComesInAnotherScope"),
	rule("What a computed field becomes fits the object", "judging.Txn.judgeKeys", "never canHold", "TestComputedFieldMustFit"),
	rule("Text within a value counts after NFC", "judging.Entry.Holds", "a != binary -> a == text", "TestTextWithinAValueCountsAsTextAlone"),
	rule("A plan knows a field by each of its names", "claim.overlaps", "cas.Overlap(a, b) -> false", "TestSwapAfterAChangeOfThePlan"),
	rule("A field that is gone does not hinder a replace, nor a removal", "claim.Claim.there", "skip maps.DeleteFunc", "TestDestroyPutsNothingBackThatSomebodyElseRemoved/replaced_while_tainted", "TestReplaceOfAFieldThatIsGone"),
	rule("A plan of that value asks for no other form", "object.fieldsModel.Follow", "skip m.forms[a] = b", "TestNormalFormsAreNoDrift"),
	rule("One of another value does not have the form", "object.fieldsModel.Follow", "a && b && c == d -> true", "TestNormalFormsAreNoDrift"),
	rule("An object is known in one shape", "cas.committer.shape", "never forget", "TestVersionsOfOneObjectAreOneObject", "TestMetadataOfAnObjectWithEntriesSharesItsLineage"),
	rule("A label is one thing, however it is named", "judging.oneName", "never MakePathOrDie", "TestLabelAndItsPathAreOneKey", "TestTwoOwnersOfALabel"),
	// Evidence.
	rule("A dry run tells the form that is stored", "cas.batch.verdict", "never normalForm", "TestLostAnswersOfFieldsAreFoundOut/a_quantity_in_its_normal_form"),
	rule("Of an object that is gone, none can be made", "cas.batch.normalForm", "without Exists", "TestLostAnswerWhereTheObjectIsGone"),
	rule("What else our name gained is a twin's, but for defaults", "judging.Sent.setsBeside", "a = a || !b -> a = a",
		"TestWhatBecameOfALostWriteOfFields/a_twin_sets_something_beside_it"),
	rule("Before a dry run has told, it may be either", "judging.Sent.Tell", "never setsBeside", "TestFieldThatATwinSetAlongWithAnotherIsNotOurs"),
	rule("What is gone of a field leaves no trace", "judging.Sent.Owns", "a == isOwn -> true", "TestPartOfAFieldThatAnotherRemovedIsNotOurs"),
	rule("Nor is it known what an earlier one in doubt stored", "judging.Sent.isEarliers", "a || b.Normal == nil -> false", "TestFieldThatAnUnknownSwapWouldHaveStoredAlike"),
	rule("What is in doubt in another shape may have made any version", "judging.Doubt.leads", "a && b -> false", "TestLabelThatAnUnknownSwapOfTheOtherShapeSetIsNotAnothersToo/by_path_first"),
	rule("Who owns as a whole what was owned in parts has gained nothing", "judging.Observation.gained", "b.Difference(a.inParts(c, b, d)) -> b", "TestListThatBecameOneIsNotAnothersWrite"),
	rule("What this process wrote of a field, or as a part of another, is not removed for an older observation", "judging.Lineage.WroteSince", "never Overlap",
		"TestFieldThatThisProcessWroteOtherwiseIsNotRemoved"),
	lost("A part that differs and is another's was written by another", "never a && b && !c && d.told && e > 0", "one part is another's"),
	lost("A part that the write leaves as it was tells nothing", "a != nil && reflect.DeepEqual(a, b) -> false", "a part of ours that another owns goes along",
		"TestPolicyThatChangesAnothersPartWithOurWriteDoesNotHideIt"),
	lost("Nor does what is not seen to be stored as it is sent", "a || b.Normal != nil && c -> true", "a part that stays in another form, and that a policy changes along", "TestLostAnswerWhereNoDryRunIsAnswered"),
	lost("What only goes leaves no trace", "adds(a, b) -> !reflect.DeepEqual(a, b)", "what only goes of a list that another may own in parts"),
	lost("Ours is what we own of it", "never isOwn", "ours"),
	parts("What the many own has owners that are not told", "without manyManagers", "ours, of which the many may own a part"),
	parts("So has what a manager of another version owns", "without isForeign", "a manager of another version may own it"),
	rule("An element is that which the path selects", "judging.Observation.isPart", "never !fieldpaths.Selects(a, b)", "TestWhatBecameOfALostWriteOfFields/another's_element_goes_along"),
}
