package cas

import "encoding/json"

// change is what one request does to one key.
type change struct {
	key  string
	from Entry
	to   Entry
}

// mergePatch is a JSON merge patch (RFC 7386) that makes the changes only while the object is at base: the API server
// refuses another resourceVersion with 409 and another uid with 409 or 422. A key that moves between the two maps does
// so in the one request.
func mergePatch(base Version, changes []change) ([]byte, error) {
	data, binaryData := map[string]*string{}, map[string]*[]byte{}
	for _, c := range changes {
		// Removing what is not there is harmless, and removing from both maps needs no knowledge of what was.
		if v, ok := c.to.Text(); ok {
			data[c.key] = &v
			if c.from.kind == binary {
				binaryData[c.key] = nil
			}
			continue
		}
		if v, ok := c.to.Binary(); ok {
			binaryData[c.key] = &v
			if c.from.kind == text {
				data[c.key] = nil
			}
			continue
		}
		if c.from.kind == binary {
			binaryData[c.key] = nil
		} else {
			data[c.key] = nil
		}
	}
	patch := map[string]any{"metadata": map[string]any{"uid": base.UID, "resourceVersion": base.ResourceVersion}}
	if len(data) > 0 {
		patch["data"] = data
	}
	if len(binaryData) > 0 {
		patch["binaryData"] = binaryData
	}
	return json.Marshal(patch)
}
