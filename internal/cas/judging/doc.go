// Package judging contains the engine's types and decisions, without input or output: entries and
// observations of objects, transactions, the evaluation of a transaction on an observation, the patch that
// its changes become, and the outcome of a patch whose response was lost. Its errors are the engine's.
// Package cas exports the names that its callers need.
package judging
