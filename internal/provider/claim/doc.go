// Package claim plans, writes, reads and deletes what resources ask for. It decides about conflicts, through package cas; it knows no
// schema and no resource.
//
// A [Claim] says which keys of an object a resource asks for: the value to write, the value expected before that, and how long to
// wait. It has nothing to do with a PersistentVolumeClaim. Resources of one key and of many are both claims. A
// whole object ([Whole]) and a number ([Run.Take]) are not; they share the [Run] and its checks.
//
// Where to look:
//
//   - plan.go: what a plan refuses, and what it only warns of
//   - write.go: what a create or an update refuses
//   - delete.go: what a removal compares with, at plan and at apply
//   - read.go: what a refresh finds
//   - whole.go, take.go, swap.go: the same for whole objects, for numbers, and for swaps that no state keeps
//   - private.go: what is kept in private state
//   - drift.go: what somebody else changed after the last apply
//   - run.go, planned.go: what the resources of one run share
package claim
