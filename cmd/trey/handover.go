package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"trey/internal/api"
	"trey/internal/store/postgres"
	pages "trey/internal/web/site"
)

// handOn has the writer answer a request. The host that was asked for stays, and the
// address of whoever asks goes with it.
//
// A command that can be asked again waits until some process writes.
func (h *handover) handOn(w http.ResponseWriter, r *http.Request, writer postgres.Writer, known bool) {
	if strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // it lasts as long as its reader stays
	}
	secret, err := h.secret.read()
	if err != nil {
		h.noteStranger(fmt.Errorf("%w: %w", errStranger, err))
	}
	if h.stranger.Load() { // the writer would answer whoever asked as if they were a machine
		h.away(w, r)
		return
	}
	var transport http.RoundTripper = handoverTransport
	body, again, err := withKey(r)
	switch {
	case err != nil:
		h.fail(w, api.Problem{Type: "urn:trey:problem:malformed", Title: "Malformed request", Status: http.StatusBadRequest, Detail: "the request broke off before its end: send it again"})
		return
	case again:
		giveBack := h.repeating.Take(h.admission.From(r))
		if giveBack == nil {
			h.away(w, r)
			return
		}
		defer giveBack()
		outlast(r)
		transport = &repeater{h.toWriter, body}
	case !known:
		h.away(w, r)
		return
	}
	to := &url.URL{Scheme: "http", Host: writer.Address}
	proxy := httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(to)
			// The proxy leaves out of a query what it cannot read. The writer refuses that, and would
			// carry out what is left of a dry run.
			p.Out.URL.RawQuery = p.In.URL.RawQuery
			p.Out.Host = p.In.Host
			p.Out.Header.Set(fromHeader, h.sender(p.In))
			p.Out.Header.Set(handedOn, secret)
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			h.log.Debug("a request could not be handed on", "writer", writer.Node, "why", err)
			h.away(w, r)
		},
	}
	proxy.ServeHTTP(w, r)
}

// noteStranger records, by the result of reading the writer's notes, whether the writer refuses
// what this machine sends. While it does, the machine is not ready.
func (h *handover) noteStranger(err error) {
	switch {
	case errors.Is(err, errStranger):
		if !h.stranger.Swap(true) {
			h.log.Error("this machine cannot hand requests on", "why", err)
		}
	case err == nil:
		if h.stranger.Swap(false) {
			h.log.Warn("this machine hands requests on again")
		}
	}
}

// handoverTransport gives up a writer that does not take a connection. It keeps as many as there
// are commands on their way: those of one commit are answered together and wait for a moment.
var handoverTransport = &http.Transport{
	DialContext:         (&net.Dialer{Timeout: outOfTouch}).DialContext,
	MaxIdleConnsPerHost: mostRepeating, IdleConnTimeout: time.Minute,
}

// away says that nobody answers for the house at the moment. What a command came to that
// was under way is not known: whoever sent it asks again under its key. A browser gets a page.
func (h *handover) away(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Retry-After", "1")
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		w.Header().Set("Content-Security-Policy", "default-src 'none'")
		h.respond(w, http.StatusServiceUnavailable, "text/html; charset=utf-8", pages.AwayPage(r))
		return
	}
	if h.stranger.Load() {
		h.refuse(w, "this machine of the house cannot hand requests on: "+errStranger.Error()+"; until then ask another machine, a command with the same Idempotency-Key")
		return
	}
	h.refuse(w, "no process writes to the record at the moment: ask again in a second, a command with the same Idempotency-Key")
}

// refuse answers that this machine does not serve, and why.
func (h *handover) refuse(w http.ResponseWriter, detail string) {
	h.fail(w, api.Problem{Type: "urn:trey:problem:stopped", Title: "Stopped", Status: http.StatusServiceUnavailable, Detail: detail})
}

// fail answers with a problem, in the form of the interface.
func (h *handover) fail(w http.ResponseWriter, p api.Problem) {
	text, _ := json.Marshal(&p) // of texts it never fails
	h.respond(w, p.Status, "application/problem+json", string(text))
}

func (h *handover) respond(w http.ResponseWriter, status int, kind, text string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n") // whoever asked may have left
}
