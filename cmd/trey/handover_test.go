package main

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What a machine answers where nobody answers for the house is a problem of the interface, whatever
// stands in its detail.
func TestWhatIsNotServedIsAProblem(t *testing.T) {
	h := newHandover(slog.New(slog.DiscardHandler))
	for _, answer := range []func(http.ResponseWriter, *http.Request){
		h.away, h.ready,
		func(w http.ResponseWriter, _ *http.Request) { h.refuse(w, errStranger.Error()+` "牌"`+"\x01") },
	} {
		w := httptest.NewRecorder()
		answer(w, httptest.NewRequest(http.MethodGet, "/", http.NoBody))
		var problem struct {
			Type, Title, Detail string
			Status              int
		}
		if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil || problem.Type != "urn:trey:problem:stopped" || problem.Title == "" || problem.Detail == "" || problem.Status != w.Code || w.Code != http.StatusServiceUnavailable || w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%d %v %s: %v", w.Code, w.Header(), w.Body, err)
		}
	}
}

// A browser gets a page where nobody answers for the house: one that it asked for loads itself again,
// and a form never sends itself again. Its language is the one chosen, else the browser's.
func TestABrowserGetsAPageWhereNobodyAnswers(t *testing.T) {
	h := newHandover(slog.New(slog.DiscardHandler))
	for name, c := range map[string]struct {
		method, accepted, chosen string
		lang, text               string
		again                    bool
	}{
		"a page":            {http.MethodGet, "", "", "en", "The house is starting again.", true},
		"a form":            {http.MethodPost, "", "", "en", "it is not known whether this was done", false},
		"a Chinese browser": {http.MethodGet, "zh-CN,zh", "", "zh-Hans", "赌场正在重新开启", true},
		"Chinese is chosen": {http.MethodPost, "en", "zh-Hans", "zh-Hans", "不知道此操作是否已执行", false},
		"a cookie is odd":   {http.MethodGet, "", `"><script>`, "en", "The house is starting again.", true},
	} {
		r := httptest.NewRequest(c.method, "/tables/a", http.NoBody)
		r.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
		r.Header.Set("Accept-Language", c.accepted)
		r.Header.Set("Cookie", "lang="+c.chosen)
		w := httptest.NewRecorder()
		h.away(w, r)
		got := w.Body.String()
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Content-Type") != "text/html; charset=utf-8" || w.Header().Get("Retry-After") != "1" || w.Header().Get("Cache-Control") != "no-store" ||
			!strings.Contains(got, `<html lang="`+c.lang+`">`) || !strings.Contains(got, c.text) || strings.Contains(got, `http-equiv="refresh"`) != c.again || strings.Contains(got, "<script") {
			t.Errorf("%s: %d %v %s", name, w.Code, w.Header(), got)
		}
	}
}
