package acceptance_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// tagsIn gives the lengths of the tags that private state keeps of a Secret, by part and key.
func tagsIn(private []byte) (lengths map[string]int, err error) {
	parts, lengths := map[string][]byte{}, map[string]int{}
	if err := json.Unmarshal(private, &parts); err != nil {
		return nil, err
	}
	for _, part := range []string{"written", "observed"} {
		tags := map[string]json.RawMessage{}
		if raw := parts[part]; raw != nil {
			if err := json.Unmarshal(raw, &tags); err != nil {
				return nil, err
			}
		}
		for key, raw := range tags {
			var tag string
			inPart := map[string]string{"": ""} // of a whole Secret
			if json.Unmarshal(raw, &tag) == nil {
				inPart[""] = tag
			} else if err := json.Unmarshal(raw, &inPart); err != nil {
				return nil, err
			}
			for of, tag := range inPart {
				if tag != "" {
					lengths[strings.TrimSpace(part+" "+key+" "+of)] = len(tag)
				}
			}
		}
	}
	return lengths, nil
}

// TestSecretTags: whoever has the state also has the key of the tags, and could test guesses of a value against a longer one.
func TestSecretTags(t *testing.T) {
	for _, form := range keyForms {
		t.Run(form, func(t *testing.T) {
			p := newPipeline(t)
			o := object{p.fixture, objectKinds[1]}
			o.create(kept)
			want := func() {
				t.Helper()
				got, err := tagsIn(p.state()["it"].Private)
				if err != nil {
					t.Fatal(err)
				}
				if len(got) != 2 || got["written foo"] != 4 || got["observed foo"] != 4 {
					t.Errorf("lengths of the tags: %v", got)
				}
			}
			p.planned(o.kind.block(form, "1", ""))
			want()
			o.set("foo", "9")
			p.do("refresh")
			want()
			p.planned(o.kind.block(form, "2", ""))
			want()
		})
	}
}
