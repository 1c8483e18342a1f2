package wire

import (
	"bytes"
	"io"
	"net/http"
	"strings"
)

// redactor redacts request credentials that are echoed in error responses. The API server repeats none, but what authenticates in front of it
// may, and what it says becomes a message. It must be nearer to the wire than what adds the credentials.
type redactor struct {
	next        http.RoundTripper
	credentials *credentials
}

func (m *redactor) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := m.credentials.pass(m.next, r)
	if err != nil || response.StatusCode < http.StatusBadRequest {
		return response, err
	}
	body, err := io.ReadAll(response.Body)
	if err := response.Body.Close(); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	_, credential, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	_, password, _ := r.BasicAuth()
	for _, secret := range []string{credential, password} {
		if secret != "" { // as long as it was: it may be in protobuf
			body = bytes.ReplaceAll(body, []byte(secret), bytes.Repeat([]byte("*"), len(secret)))
		}
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}
