package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Only a house that is ready is healthy.
func TestHealth(t *testing.T) {
	answers := map[string]func(http.ResponseWriter){
		"ready": func(w http.ResponseWriter) { fmt.Fprint(w, `{"status":"ready"}`) },
		"stopped": func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusServiceUnavailable)
			fmt.Fprint(w, `{"title":"Stopped","status":503,"detail":"the record cannot be written: no space left on device\u001b[2J"}`)
		},
		"a proxy":   func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) },
		"no house":  func(w http.ResponseWriter) { fmt.Fprint(w, "<html>") },
		"only live": func(w http.ResponseWriter) { fmt.Fprint(w, `{"status":"alive"}`) },
	}
	wants := map[string]struct {
		status int
		says   string
	}{
		"ready":     {0, "ready\n"},
		"stopped":   {exitFound, "trey: the house is not ready: the record cannot be written: no space left on device"},
		"a proxy":   {exitFound, "trey: the house is not ready: 502 Bad Gateway\n"},
		"no house":  {exitFound, `is not a house: it answers "<html>"`},
		"only live": {exitFound, "is not a house"},
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/readyz" {
					t.Errorf("%s is asked for", r.URL.Path)
				}
				answer(w)
			}))
			defer server.Close()
			var stdout, stderr bytes.Buffer
			status := run([]string{"health", server.URL}, strings.NewReader(""), &stdout, &stderr)
			want := wants[name]
			if says := stdout.String() + stderr.String(); status != want.status || !strings.Contains(says, want.says) || strings.Contains(says, "\x1b") {
				t.Errorf("status %d, %q; want %+v", status, says, want)
			}
		})
	}
	for _, address := range []string{"127.0.0.1:8080", "ftp://x", "http://", "http://127.0.0.1:1"} {
		var stdout, stderr bytes.Buffer
		want := exitUsage
		if strings.HasSuffix(address, ":1") {
			want = exitFound // nobody listens there
		}
		if status := run([]string{"health", address}, strings.NewReader(""), &stdout, &stderr); status != want {
			t.Errorf("%s: status %d, %s", address, status, &stderr)
		}
	}
}
