// Package eval contains the engine's types and decisions, without input or output. The types are entries and
// snapshots of objects, and transactions. The decisions are the evaluation of a transaction on a snapshot,
// the patch for its changes, and the outcome of a patch whose response was lost. Its errors are the engine's.
// Package cas exports the names that its callers need.
package eval
