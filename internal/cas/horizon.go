package cas

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// remembered is for how long the API server is trusted to remember what came after a version: its watch cache holds about 75
// seconds of a busy kind.
const remembered = time.Minute

// horizon is a resourceVersion that the API server had reached. An object that is read afterwards, and is older, has not
// changed in between. So a watch from the horizon begins with what comes after that read, also where the object's own
// version is older than all that the API server remembers. A resourceVersion belongs to a kind, not to an object.
type horizon struct {
	mu      sync.Mutex
	version string
	learned time.Time
	refused map[string]bool // by namespace: the API server does not tell this user; of "": it does not tell at all
}

// moment is a version from which a watch shows what came after an observation, and when that was the present one.
type moment struct {
	version string
	at      time.Time
}

// Horizon is a resourceVersion from which a watch shows what came after an observation, and when that was the present one.
type Horizon struct {
	ResourceVersion string    `json:"resource_version"`
	At              time.Time `json:"at"`
}

// isYoung reports whether the API server can be trusted to remember what came after it.
func (h Horizon) isYoung(now time.Time) bool {
	return h.ResourceVersion != "" && !now.Before(h.At) && now.Sub(h.At) < remembered
}

// now is the latest moment learned. Ask for it before a read: only then does it hold for what was read.
func (h *horizon) now() moment {
	h.mu.Lock()
	defer h.mu.Unlock()
	return moment{h.version, h.learned}
}

// of is the moment of an observation of version, where m was known before the read began: the later of the two.
func (m moment) of(version string) moment {
	if order, err := resourceversion.CompareResourceVersion(m.version, version); err != nil || order < 0 {
		m.version = version
	}
	return m
}

// learns takes note of a version that the API server had reached at a time.
func (h *horizon) learns(m moment) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.version, h.learned = m.version, m.at
}

// refuse takes note that the API server does not tell the horizon, in one namespace or, where that is empty, at all.
func (h *horizon) refuse(namespace string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.refused == nil {
		h.refused = map[string]bool{}
	}
	h.refused[namespace] = true
}

// isRefused reports whether the API server does not tell the horizon with this object.
func (h *horizon) isRefused(ref Ref) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.refused[""] || h.refused[ref.Namespace]
}

// covers reports whether a write on an observation of moment m, sent now, can be looked for if its answer gets lost; or that
// reading again would not help.
func (h *horizon) covers(ref Ref, m moment, now time.Time) bool {
	return now.Sub(m.at) < remembered || h.isRefused(ref)
}
