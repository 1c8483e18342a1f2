package judging

import (
	"time"

	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// Remembered is for how long the API server is trusted to remember what came after a version: its watch cache holds about 75
// seconds of a busy kind.
const Remembered = time.Minute

// Basis is what was seen of an object before.
type Basis struct {
	Version

	// Digest is the Observation.Digest of all that was there; empty where that is not known.
	Digest string
}

// Moment is a version from which a watch shows what came after an observation, and when that was the present one.
type Moment struct {
	Version string
	At      time.Time
}

// Of is the moment of an observation of version, where m was known before the read began: the later of the two.
func (m Moment) Of(version string) Moment {
	if order, err := resourceversion.CompareResourceVersion(m.Version, version); err != nil || order < 0 {
		m.Version = version
	}
	return m
}
