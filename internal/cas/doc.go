// Package cas swaps entries of Kubernetes ConfigMaps and Secrets: it writes keys if, and only if, they and the object are
// what they are expected to be, in one atomic request. It creates and deletes whole objects in the same way.
//
// # Words
//
// A transaction (Txn) names keys of one object, or its labels and annotations as LabelKey and AnnotationKey name them,
// with what each must hold and what is to be written. A batch is the transactions that go into one request. The base of a
// write is the version that the request is conditional on. A write is in doubt when its answer got lost. The lineage is
// the chain of versions that this process's own writes made.
//
// # What is promised
//
//   - Every swap ends in one of four verdicts. Applied: the expectation held when the API server wrote, and the write is
//     there. Conflict: it did not hold, and nothing was written. Rejected: nothing was written, for another reason.
//     Unknown: it could not be found out, and the error says why. A call is answered once.
//   - A write is conditional on the uid and the resourceVersion of the object that it was judged on or, where others are
//     busy with the object and no version is named, on the bytes that its key holds. The API server checks that in the
//     transaction that writes, so that nothing can come between judging and writing.
//   - A conflict is told only from a linearizable read that began after the swap was asked for and while no write of this
//     Engine to the object was in flight, but for one that was set aside. So a sibling's write that has landed and has
//     not answered never looks foreign: where one set aside has made the version that was read, that is found out first.
//   - Swaps of one object are judged in the order in which they arrive, each on the result of those before it: a later
//     one of other keys goes ahead at most of what it cannot have to do with. None goes ahead of one that writes
//     ImmutableKey. Swaps of different objects have no order.
//   - A swap that names a version (Txn.At), or is bound to one (Txn.Bound), is admitted only while the lineage leads from
//     that version to the object's present one: through this Engine's own writes alone. Any foreign write in between,
//     even one that was undone, is a conflict.
//   - A write is sent again only where at most one of the two can land; a creation, where at most one of the two can be
//     there. What changes nothing is not sent: a read tells its verdict.
//   - A Txn is all or nothing: either every key, guards included, was as expected when the API server wrote, and all of
//     it is there, or nothing was written. A conflict over keys names every key that did not hold, not only the first. A
//     guard is never written, and is compared also where it is absent, or where all else is a removal. Transactions that
//     write and compare different keys may share a request; one that writes what another compares or writes does not
//     share its.
//   - Computed keys are the exception: transactions that each compute the same key (KeySwap.Next) share a request. Each
//     function gets what the one before it leaves, and each caller is told its own step. No number is given to two
//     callers, not even where one of them was told Unknown and its write lands later. A function that refuses with a
//     *NotYetError can be waited for (Computed.Wait).
//   - Create makes an object only where there is none, as a read that began after the call has shown. Remove deletes just
//     the version that was judged, so that no foreign write goes with it unseen. Both keep their place among the swaps of
//     the object, and lineage goes through them: from a creation on, and up to a removal.
//   - A check, rehearsed or not, stores nothing, extends no lineage and does not count as having swapped. A rehearsal is
//     sent as the write would be, so that what refuses the one refuses the other; its verdict is never unknown.
//   - CommitWithin writes on what it has judged as Commit does, however long it has waited. What it has seen while it
//     waited only says when to try. It waits for what others may make of keys and of an object that is not there, or is
//     going; any other refusal ends it at once.
//   - Nothing waits for ever: reads, writes and rehearsals of one object take turns. A swap waits five seconds at most,
//     and a request, for a write of other keys that is in doubt, as where a webhook answers 429 for one key, or nothing.
//     The write in doubt is tried again at least every five seconds, until its context ends, but is Unknown after five
//     where one waits that cannot go ahead of it: a Create or a Remove, a swap of ImmutableKey, or one that is about the
//     object in another shape: its entries, or its fields, or those in another version of its API. Observe waits for no
//     write.
//     Where the API server asks to be asked again after more than five seconds, it is five. A read that it does not
//     answer is tried again for about a second, or for about five where it asks to wait.
//
// # Secrets
//
// All of this holds for Secrets too, at the same cost. A key of a Secret holds bytes: Text and Binary of the same bytes
// are the same there, to the byte, and what is returned is Binary.
//
// No error of a write of a Secret quotes a value of it. What the API server said is withheld as a whole where it shares
// eight bytes in a row with a value of the request or of the Secret as it was last seen, or contains a shorter one: as it
// is, as Go or JSON escapes it, as hexadecimal text, as base64, or as Go prints bytes. Where the Secret was not seen, as
// by a Remove that goes by a version alone, all is withheld but what authentication and authorization say, which never
// see it. Status code and reason stay. Warnings and bodies are not logged. So a Secret that holds a value such as "1"
// gets few messages through.
//
// # Fields of any kind
//
// All of this holds for fields of objects of any kind, too. KindOf makes the kind of a Ref, which has no version: an object is the same in all of
// them. A Txn names one (Txn.APIVersion), and each of its keys by FieldKey or, where it is only compared, by ReadKey. These are made of a path as
// the API server prints it, such as "spec.template.spec.containers[name=web].image"; package fieldpaths has the grammar, and what is refused. The
// entry of a field is what JSON makes of its value: Text of a text, and canonical JSON of anything else. ObserveFields reads an object, and
// Observation.Field tells what a field holds, or why that cannot be told. So, with fields instead of keys:
//
//	kind := cas.KindOf("apps", "Deployment")
//	key, err := cas.FieldKey(kind, "spec.replicas")
//	was, err := cas.JSON([]byte("2"))
//	shall, err := cas.JSON([]byte("3"))
//	result, err := engine.Commit(ctx, &cas.Txn{
//		Ref: cas.Ref{Kind: kind, Namespace: "shop", Name: "web"}, APIVersion: "apps/v1",
//		Keys: []cas.KeySwap{{Key: key, Expect: was, New: shall}}, FieldManager: "me",
//	})
//
// A field that is not there is the absent entry; writing one makes the maps on its way. TxnResult.Made tells them, and KeySwap.Rest has one go with the last that is
// removed from it. TxnResult.Stored is the form in which the API server
// keeps what was sent: a quantity of "1000m" as "1", a port with its defaults. A value that was changed and is as before after a write that
// landed was set back by something. A path that selects several elements, or that leads through an element that is not there, is
// a *FieldError, as is a write to an object whose text is no UTF-8, which it would change; a kind that the API server does not serve is a *NotServedError, and a namespace too many or too few a *ScopeError: nothing was
// written. Overlap tells whether two keys name one thing, or one a part of the other or what that selects by: of a Txn no two may, and swaps of such go into
// different requests, in their order. Errors quote no value of a Txn with Hides. ConfigMaps and Secrets are read by their fields where a Txn has an
// APIVersion, and by their entries where it has none: both are one object with one lineage, and their swaps are in the order in which they came.
//
// The write is the difference between the base and what the changes make of it, as a merge patch with lists as a whole; where others are busy, a
// JSON Patch that tests each field and each element on its way as a whole. What became of a lost one, managedFields tell of all parts of a field. Where the
// API server may have stored it in another form, a dry run of the same values tells that form. Where admission does otherwise in a dry run, a lost
// write may be Unknown for that.
//
// # When an answer gets lost
//
// A merge patch or a deletion is sent again while the object is at its base. Once the object has left it, the first
// version after the base tells: either it is ours, or ours can never land. judging.Sent has the rules by which it tells.
// That version is found by a watch from the horizon, a resourceVersion that was known before the base was read; and where
// the API server has forgotten that too, or this user may not watch, by walking back through etcd, if this user may list.
// Where it cannot be found, the verdict is Unknown, unless a key is still ours under a name that only this Engine has
// (Engine.Signed), and that name has written since, or nothing else differs and nobody else shows. A write in doubt that others wait for is halved and then set aside, and
// others go on; the version that comes next tells what became of it. An error of the API server's own (500) is in doubt
// as well: the write is sent again for five seconds. So long is a JSON Patch looked for.
//
// # What is not promised
//
//   - Fairness between processes: a swap judged by value may be outrun again and again, until its context ends.
//   - Noticing that a value went and came back (ABA), in a swap that names no version.
//   - Telling apart two writers of one field manager's name who write the same bytes over the same state, where the
//     answer to one of them is lost, also if the other removes more, or changes more that the name owned before; unless
//     ours is under a field manager of its Engine alone (Engine.Signed), whose keys nobody else can own. Nor ours from
//     another's write that leaves no trace, as a removal, and along with which an admission policy sets just what ours
//     would have set. Nor two of ours that are in doubt on one base, where admission makes of the one just what the other
//     makes.
//   - Who removed a key, where the answer to a removal is lost: it is Unknown, but where the key shall be gone whoever
//     removes it (Txn.GoneIsDone). Where it goes and nothing else changes, the lineage goes on, though it may have been
//     another who removed just that. The same of a creation without content, of which the API server keeps no
//     managedFields.
//   - Noticing that a write has landed whose answer is lost, and which admission undid, where its field manager owned the same keys and wrote within
//     the second before, or changed another of its keys along: it counts as not written.
//   - What became of a write to an object that has no managedFields after it, as where something removes them, and whose
//     answer is lost. Nor, of fields, where the API server keeps those of before, as it does where an object fits its
//     definition no more: it cannot be told from a second write within the second. Nor a true verdict where admission
//     takes single entries or fields out of managedFields.
//   - A true verdict where something between here and the API server sends a write twice and passes on the second answer:
//     that is a conflict, though the first landed. This package never does. (Under Engine.Signed it is found out, unless
//     the key was written again meanwhile.)
//   - That a write whose verdict is unknown does not land afterwards: the API server may be about to.
//   - That a creation is made once where its answer got lost and another deletes what it made before this package has
//     looked: it is made again. Nothing in a POST can be conditional on there having been none.
//   - That CommitWithin sees a value that is there for a moment only, or that it is the first of several who wait.
//   - That a swap is admitted which names a version from before a JSON Patch of this Engine: what such a patch followed
//     is not known, so it begins a new lineage.
//   - That what was rehearsed alone is admitted together with others, or later.
//   - That an admission plugin quotes no value of a Secret that nobody here has seen, as one that another writes in that
//     moment.
//   - That text which is no UTF-8, and which another writes into the object within the last second, stays as it is where
//     others are busy: for a JSON Patch the API server writes the whole object as JSON.
//
// # Costs
//
// A lone swap costs a read and a patch; a removal of what was seen just the patch. The first read of a process before a
// write, and one a minute, is a watch that begins with the present state, and so tells the horizon; a user who may not
// watch pays one refused request more. Swaps of one object that arrive while a request is under way go into the next one
// together; while siblings come back, a batch waits for at least half of them, for about as long as they are apart. Reads
// that only inform share what was seen in the last second. A Txn costs what a swap does, whatever its number of keys; a
// Create a read and a request; a Remove one request, where its precondition is known. A wait holds a watch open and sends
// nothing. What is known of idle objects is kept up to 32 MiB, and their versions for as long as the process lives.
package cas
