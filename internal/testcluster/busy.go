package testcluster

import (
	"io"
	"net/http"
	"strings"
)

const tooBusy = "too busy\n"

func busyHeader() http.Header {
	return http.Header{"Retry-After": {"1"}, "Content-Type": {"text/plain"}}
}

// Busy is the answer of a server that did nothing, and wants to be asked again after a second.
func Busy(status int) *Answer {
	return &Answer{Status: status, Header: busyHeader(), Body: tooBusy}
}

// BusyAfter is for Fault.Answered: the server has done what was asked, and says the same as Busy.
func BusyAfter(status int) func(*http.Response) {
	return func(r *http.Response) {
		_ = r.Body.Close()
		r.StatusCode, r.Status, r.Header = status, http.StatusText(status), busyHeader()
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(tooBusy)), int64(len(tooBusy))
	}
}
