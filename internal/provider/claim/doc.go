// Package claim plans, writes, reads and deletes what resources ask for. It decides about conflicts, through package cas; it knows no
// schema and no resource.
//
// A [Claim] says which keys of an object a resource asks for: what each shall hold, what it must hold until then, and how long the
// answer may take. It has nothing to do with a PersistentVolumeClaim. A resource of one key and a resource of many are claims alike. A
// whole object ([Whole]) and a number ([Run.Take]) are no claims of keys; they share the [Run] and its checks.
//
// Where to look:
//
//   - plan.go: what a plan refuses, and what it only warns of
//   - write.go: what a create or an update refuses
//   - delete.go: what the removal of keys goes by, when it is planned and when it is applied
//   - read.go: what a refresh finds
//   - whole.go, take.go: the same for whole objects and for numbers
//   - private.go: what is kept in private state
//   - run.go, moves.go: what the resources of one run share
package claim
