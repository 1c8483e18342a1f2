package terms

import (
	"fmt"
	"strings"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

// AllocationID names one value of a pool. Its string form is namespace/name/key/value; it is unambiguous, since of the four only the value can hold a
// slash.
type AllocationID struct {
	EntryID
	Value string
}

// ParseAllocationID reads namespace/name/key/value.
func ParseAllocationID(s string) (AllocationID, error) {
	parts := strings.SplitN(s, "/", 4)
	if len(parts) != 4 || parts[3] == "" {
		return AllocationID{}, fmt.Errorf("%q is not of the form namespace/name/key/value", s)
	}
	id := AllocationID{EntryID{cas.Ref{Namespace: parts[0], Name: parts[1]}, parts[2]}, parts[3]}
	if err := check(s, id.Parts()); err != nil {
		return AllocationID{}, err
	}
	return id, nil
}
