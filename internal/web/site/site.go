// Package site is the base of every page of Trey's own web site. It turns a request into a
// visit with its language and looks, draws the frame around a page, and serves the styles and
// scripts. It sets the headers that keep everything else out, and is the one place where errors
// become statuses.
//
// A page is a package beside this one. It exports a [Section] with its routes,
// its style sheet and its modules, and knows no other page; package web joins
// them. The package knows no game.
package site

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/a-h/templ"

	"trey/internal/admission"
	"trey/internal/web/lang"
	"trey/rules"
	"trey/rules/books"
)

// Section is a part of the site.
type Section struct {
	// Path is the beginning of its addresses, and Key names it: the navigation shows the
	// message "nav.KEY". An empty Key keeps it out of the navigation.
	Path, Key string
	// Presence identifies the visitor, nil for a section that lets nobody in.
	Presence func(v *Visit) Presence
	// Files holds style sheets (*.css) and modules (*.js). Their names are
	// unique in the site.
	Files fs.FS
	// Routes maps patterns of http.ServeMux, with their method, to what
	// answers.
	Routes map[string]Handler
}

// Presence is the sign-in state of the visitor on every page.
type Presence struct {
	// Person is the account's name, and Name what the person is called on a page; both
	// are empty for a visitor who is not signed in.
	Person, Name string
	// Foot shows the visitor's name at the foot of the page, or a link to sign in. Leave
	// is the form to sign out, nil for a visitor who is not signed in.
	Foot, Leave templ.Component
}

// presence returns the sign-in state of the visitor, on a site that lets people in.
func (v *Visit) presence() Presence {
	for _, s := range v.site.sections {
		if s.Presence != nil {
			return s.Presence(v)
		}
	}
	return Presence{}
}

// Handler answers a request. An error that is a [*Problem] becomes a page that
// says so; any other is logged and becomes a page that says that the fault is
// ours.
type Handler func(v *Visit) error

// Problem is an answer that is no page: what was asked for is not there, or
// makes no sense.
type Problem struct {
	Status int
	// Text says what is wrong and what to do, in the visitor's language.
	Text string
}

// Error returns the text.
func (p *Problem) Error() string { return p.Text }

// NotFound returns the problem that there is no such page.
func (v *Visit) NotFound() error {
	return &Problem{http.StatusNotFound, v.T("problem.not-found")}
}

// Book returns the book that the path names as {book}.
func (v *Visit) Book() (*rules.Book, error) {
	if b := books.ByID(v.Request.PathValue("book")); b != nil {
		return b, nil
	}
	return nil, v.NotFound()
}

// site is all sections together.
type site struct {
	sections []Section
	assets   *assets
	version  string
	// playMoney has the foot say that nothing here is worth anything.
	playMoney bool
	log       *slog.Logger
	mux       *http.ServeMux
	// admission says which requests are answered at all.
	admission *admission.Control
	// streams is the largest number of live pages at once, open the present number.
	streams int
	open    atomic.Int64
	// unsure is [Config.Unsure].
	unsure func(error) bool
	// signedOut is [Config.SignedOut].
	signedOut func(error) bool
}

// Config holds the settings of the site.
type Config struct {
	// Version is the program's, shown at the foot of every page.
	Version string
	// PlayMoney says that nothing is played for money.
	PlayMoney bool
	// Log receives the errors of the pages.
	Log *slog.Logger
	// Admission says which requests are answered at all; nil is all.
	Admission *admission.Control
	// Streams is the largest number of live pages at once, zero for any number.
	Streams int
	// Unsure reports whether an error leaves it open if what was asked for was done; nil: none does.
	Unsure func(error) bool
	// SignedOut reports whether an error says that the visitor may not act any more; nil: none does.
	SignedOut func(error) bool
}

// New joins the sections. It panics if two sections claim the same path or file
// name: that cannot depend on anything outside.
func New(c Config, sections ...Section) http.Handler {
	s := &site{sections: sections, version: c.Version, playMoney: c.PlayMoney, log: c.Log, streams: c.Streams, admission: c.Admission, unsure: c.Unsure, signedOut: c.SignedOut, mux: http.NewServeMux()}
	sheets := []fs.FS{files}
	for _, section := range sections {
		if section.Files != nil {
			sheets = append(sheets, section.Files)
		}
	}
	s.assets = newAssets(sheets...)
	s.handle(assetsPattern, s.assets.answer)
	s.mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, s.assets.url("mark.svg"), http.StatusFound)
	})
	s.handle("POST /display", display)
	s.handle("/", func(v *Visit) error { return v.NotFound() })
	for _, section := range sections {
		for pattern, handler := range section.Routes {
			s.handle(pattern, handler)
		}
	}
	return http.NewCrossOriginProtection().Handler(secured(s.mux))
}

func (s *site) handle(pattern string, handler Handler) {
	s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		v := s.visit(w, r)
		err := s.admit(v, pattern)
		if err == nil {
			err = handler(v)
		}
		if err != nil {
			s.fail(v, err)
		}
	})
}

// assetsPattern is the path of style sheets, modules and pictures, the same for everybody.
const assetsPattern = "GET /assets/{stamp}/{name}"

// MostFormBytes is the most that a form of any page may hold.
const MostFormBytes = 256 << 10

// admit reads a request to its end. It refuses a request to another host, and one of an address
// or a person that has asked too often. Style sheets and modules are not counted against the
// person.
func (s *site) admit(v *Visit, pattern string) error {
	if !s.admission.Serves(v.Request) {
		return &Problem{http.StatusMisdirectedRequest, v.T("problem.host")}
	}
	waitS := s.admission.Address(s.admission.From(v.Request))
	if waitS == 0 {
		if _, err := admission.Body(v.w, v.Request, MostFormBytes); err != nil {
			return &Problem{http.StatusBadRequest, v.T("problem.form")}
		}
	}
	if waitS == 0 && pattern != assetsPattern {
		if person := v.presence().Person; person != "" {
			waitS = s.admission.Person(person)
			v.Request = v.Request.WithContext(admission.For(v.Context(), person))
		}
	}
	if waitS > 0 {
		v.w.Header().Set("Retry-After", strconv.Itoa(waitS))
		return &Problem{http.StatusTooManyRequests, v.N("problem.too-many", waitS)}
	}
	return nil
}

// fail answers with an error. It is the only place where one becomes a status.
func (s *site) fail(v *Visit, err error) {
	if v.sent {
		return
	}
	var problem *Problem
	switch {
	case errors.As(err, &problem):
	case s.leavesOpen(err):
		// Whoever asked may still wait: a house that is opened again cancels its requests too.
		v.Request = v.Request.WithContext(context.WithoutCancel(v.Context()))
		v.w.Header().Set("Retry-After", "1")
		problem = &Problem{http.StatusServiceUnavailable, awayText(v.Printer, v.Request)}
	case s.signedOut != nil && s.signedOut(err):
		problem = &Problem{http.StatusUnauthorized, v.T("sign.over")}
	default:
		s.log.ErrorContext(v.Context(), "a page could not be made", "path", v.Request.URL.Path, "error", err)
		problem = &Problem{http.StatusInternalServerError, v.T("problem.ours")}
	}
	page := Page{Title: v.T("problem.title"), Body: trouble(v, problem)}
	if v.Wants(FragmentHeader) {
		page.Bare = true
	}
	if err := v.show(problem.Status, page); err != nil {
		s.log.ErrorContext(v.Context(), "an error page could not be made", "error", err)
		http.Error(v.w, problem.Text, problem.Status) // nothing is sent yet
	}
}

// leavesOpen reports whether it is not known if what was asked for was done. The answer says so: an
// empty one would be taken for "it was done", and a refusal for "it was not".
func (s *site) leavesOpen(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || s.unsure != nil && s.unsure(err)
}

// FragmentHeader is the header with which a module of ours asks for a fragment
// of a page instead of a whole one.
const FragmentHeader = "Trey-Fragment"

// secured sets the headers that every answer carries: nothing may be loaded but
// from here, no script or style may stand in a page, and nobody may frame it.
func secured(next http.Handler) http.Handler {
	policy := strings.Join([]string{
		"default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
		"form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types trey",
	}, "; ")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=()")
		next.ServeHTTP(w, r)
	})
}

// display keeps the visitor's display settings in cookies, and goes back to the page
// before.
func display(v *Visit) error {
	form, err := v.Form(4 << 10)
	if err != nil {
		return err
	}
	back, err := v.Back(form.Get("back"))
	if err != nil {
		return err
	}
	for _, setting := range []setting{language, theme, deck} {
		value := form.Get(setting.name)
		if value == "" {
			continue
		}
		if !setting.permits(value) {
			return &Problem{http.StatusBadRequest, v.T("problem.form")}
		}
		http.SetCookie(v.w, &http.Cookie{
			Name: setting.name, Value: value, Path: "/", MaxAge: 365 * 24 * 3600,
			SameSite: http.SameSiteLaxMode, Secure: v.Request.TLS != nil,
		})
	}
	return v.Redirect(cmp.Or(back, "/"))
}

// setting is a display setting of a visitor. Its first value is the default.
type setting struct {
	name   string
	values []string
}

var (
	language = setting{"lang", lang.Tags()}
	theme    = setting{"theme", []string{"auto", "light", "dark"}}
	deck     = setting{"deck", []string{"two", "four"}}
)

func (s *setting) permits(value string) bool {
	for _, v := range s.values {
		if v == value {
			return true
		}
	}
	return false
}

// of returns what the request's cookie says, or the first value.
func (s *setting) of(r *http.Request) string {
	if cookie, err := r.Cookie(s.name); err == nil && s.permits(cookie.Value) {
		return cookie.Value
	}
	return s.values[0]
}

// describe returns an error's text with the place where it happened, for a panic that says that
// the program was put together wrongly.
func describe(what string, err error) string { return fmt.Sprintf("site: %s: %v", what, err) }
