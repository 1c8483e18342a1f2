// Package judging holds what the engine judges, and how, without input or output: entries and observations of objects, transactions that ask
// for changes of them, what becomes of a transaction that is compared with an observation, and the patch that a change becomes. Its errors are
// the engine's. Package cas gives its callers those of these names that concern them.
package judging
