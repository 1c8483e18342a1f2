package cas

import (
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// remembered is for how long the API server is trusted to remember what came after a version: its watch cache holds about 75
// seconds of a busy kind.
const remembered = time.Minute

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

// of is the moment of an observation of version, where m was known before the read began: the later of the two.
func (m moment) of(version string) moment {
	if order, err := resourceversion.CompareResourceVersion(m.version, version); err != nil || order < 0 {
		m.version = version
	}
	return m
}
