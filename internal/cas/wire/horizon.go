package wire

import (
	"sync"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

// Reached is a resourceVersion that the API server had reached. An object that is read afterwards, and is older, has not
// changed in between. So a watch from the horizon begins with what comes after that read, also where the object's own
// version is older than all that the API server remembers. A resourceVersion belongs to a kind, not to an object.
type Reached struct {
	mu      sync.Mutex
	version string
	learned time.Time
	refused map[string]bool // by namespace: the API server does not tell this user; of "": it does not tell at all
}

// now is the latest moment learned. Ask for it before a read: only then does it hold for what was read.
func (h *Reached) now() judging.Moment {
	h.mu.Lock()
	defer h.mu.Unlock()
	return judging.Moment{Version: h.version, At: h.learned}
}

// learns takes note of a version that the API server had reached at a time.
func (h *Reached) learns(m judging.Moment) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.version, h.learned = m.Version, m.At
}

// refuse takes note that the API server does not tell the horizon, in one namespace or, where that is empty, at all.
func (h *Reached) refuse(namespace string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refused[namespace] = true
}

// IsRefused reports whether the API server does not tell the horizon with this object.
func (h *Reached) IsRefused(ref judging.Ref) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.refused[""] || h.refused[ref.Namespace]
}

// Covers reports whether a write on an observation of moment m, sent now, can be looked for if its answer gets lost; or that
// reading again would not help.
func (h *Reached) Covers(ref judging.Ref, m judging.Moment, now time.Time) bool {
	return now.Sub(m.At) < judging.Remembered || h.IsRefused(ref)
}

// Horizon is that of an object's kind.
func (c *Client) Horizon(ref judging.Ref) *Reached {
	known, _ := c.horizons.LoadOrStore(ref.Kind, &Reached{refused: map[string]bool{}})
	reached, _ := known.(*Reached) // nothing else is in it
	return reached
}
