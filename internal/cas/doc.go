// Package cas swaps entries of Kubernetes ConfigMaps: it writes a key if, and only if, the key and the object are what
// they are expected to be, in one atomic request.
//
// # What is promised
//
//   - Every swap ends in one of four verdicts. Applied: the expectation held when the API server wrote, and the write is
//     there. Conflict: it did not hold, and nothing was written. Rejected: nothing was written, for another reason.
//     Unknown: it could not be found out, which is said as such.
//   - A write is conditional on the uid and the resourceVersion of the object that it was judged on or, where others are busy
//     with the object and no version is named, on the bytes that its key holds. The API server checks that in the
//     transaction that writes, so that nothing can come between judging and writing.
//   - A conflict is told only from a linearizable read that began after the swap was asked for and while no write of this
//     Engine to the object was in flight. So a sibling's write that has landed and has not answered never looks foreign.
//   - Swaps of one object are judged in the order in which they arrive, each on the result of those before it. Swaps of
//     different objects have no order.
//   - A swap that names a version (Swap.At) is admitted only while the lineage leads from that version to the object's
//     present one: through this Engine's own writes alone. Any foreign write in between, even one that was undone, is a
//     conflict.
//   - A write is sent again only where at most one of the two can land.
//
// # What is not promised
//
//   - Fairness between processes: a swap judged by value may be outrun again and again, until its context ends.
//   - Noticing that a value went and came back (ABA), in a swap that names no version.
//   - Telling apart two writers who write the same bytes over the same state, where the answer to one of them is lost; unless
//     ours is under a field manager of its Engine alone (Engine.Signed), whose keys nobody else can own.
//   - A true verdict where something between here and the API server sends a write twice and passes on the second answer: that
//     is a conflict, though the first landed. This package never does. (Under Engine.Signed it is found out, unless the key was
//     written again meanwhile.)
//   - That a write whose verdict is unknown does not land afterwards: the API server may be about to.
//
// # Costs
//
// A lone swap costs a read and a patch, a removal of what was seen just the patch. Swaps of one object that arrive while a
// request is under way, or within 20 ms of it, go into the next one together; reads that only inform share what was seen in
// the last second.
package cas
