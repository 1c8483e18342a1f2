// Package soak contains only tests. They run the engine of internal/cas under faults. From the engine's answers and
// from every version that the API server made, they prove that the promises of its package comment were kept.
//
// Several processes, each with an engine of its own, and a plain client-go writer swap the same keys of shared
// ConfigMaps. Meanwhile a nemesis breaks connections, loses responses and stops processes of the control plane. Each
// process records its calls and their answers on one clock. Two checks judge that history. Every key must be a
// linearizable compare-and-swap register. An independent watch, which records every version in order, must account
// for each verdict, and each version must be accounted for by a verdict.
//
// All engines also take numbers from one key of each ConfigMap, which nobody swaps. No number may be given twice. Each
// step of that key must consist of takes of one process, whose name managedFields show. A take whose response was
// lost may skip numbers, which nobody receives.
//
// Six processes take numbers from one pool and give them back, as the provider's resource does. No number may have two
// owners at a time, and no number may be lost. Only a process that is killed may leave a number behind, which can be
// released.
//
// A short run is part of the tests. `-soak.duration` sets a longer time, and the variable SEED selects another run.
package soak
