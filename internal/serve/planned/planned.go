// Package planned hands on what Terraform from 1.16 sends about the first plan of a change, and plugin-go does not know yet. It knows
// contexts alone: package serve reads the requests, package claim reads the context. Once plugin-go has the fields, this package can go.
package planned

import "context"

// Sent is what the client of a request sent about the first plan of a change.
type Sent struct {
	// Stores: the client stores the private data that a plan answers, and sends it again (store_planned_private).
	Stores bool
	// Private is that private data: of a plan, what the first plan of the same change answered, so that the plan is that of an apply; of an
	// apply, what the last plan answered. Empty: there is none.
	Private []byte
}

type key struct{}

// With is the context of a request.
func With(ctx context.Context, s Sent) context.Context { return context.WithValue(ctx, key{}, s) }

// From is what With was given, the zero Sent without it.
func From(ctx context.Context) Sent {
	s, _ := ctx.Value(key{}).(Sent)
	return s
}
