// Package soak holds tests only: they put the engine of internal/cas under fire and prove from what it answered, and from
// every version that the API server made, that what its package comment promises was kept.
//
// Several processes, each with an engine of its own, and a plain client-go writer swap the same keys of shared ConfigMaps while
// a nemesis strikes at connections, responses and the processes of the control plane. Each process writes down when it asked
// for what and what it was told, on one clock. Two checks judge that history: every key must be a linearizable compare-and-swap
// register; and an independent watch, which records every version in order, must account for each verdict and be
// accounted for by them.
//
// Beside that all engines take numbers from one key of each ConfigMap, which nobody swaps. No number may be told twice, and each
// step of that key must be that of as many takes of one process, whose name managedFields show. A take whose response was lost may skip
// numbers, which nobody receives.
//
// Six processes take from one pool and give back, as the provider's resource does. At no time may two have one number; none may be lost, and only who is killed
// may leave one behind, which can be released.
//
// A short run is part of the tests. `-soak.duration` has it go on for longer, the variable SEED has it go another way.
package soak
