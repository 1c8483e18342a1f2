package judging

import (
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// Remembered is for how long the API server is trusted to remember what came after a version: its watch cache holds about 75
// seconds of a busy kind.
const Remembered = time.Minute

// Moment is a version from which a watch shows what came after an observation, and when that was the present one.
type Moment struct {
	Version string
	At      time.Time
}

// Horizon is a resourceVersion from which a watch shows what came after an observation, and when that was the present one.
type Horizon struct {
	ResourceVersion string    `json:"resource_version"`
	At              time.Time `json:"at"`
}

// isYoung reports whether the API server can be trusted to remember what came after it.
func (h Horizon) isYoung(now time.Time) bool {
	return h.ResourceVersion != "" && !now.Before(h.At) && now.Sub(h.At) < Remembered
}

// Of is the moment of an observation of version, where m was known before the read began: the later of the two.
func (m Moment) Of(version string) Moment {
	if order, err := resourceversion.CompareResourceVersion(m.Version, version); err != nil || order < 0 {
		m.Version = version
	}
	return m
}
