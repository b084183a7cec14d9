package site

import (
	"bytes"
	"compress/gzip"
	"context"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"trey/internal/web/lang"
)

// Visit is one request, with its visitor's preferences for the answer.
type Visit struct {
	lang.Printer
	Request *http.Request
	// Theme is auto, light or dark; Deck is two or four, the number of colours
	// of the suits.
	Theme, Deck string

	site *site
	w    http.ResponseWriter
	sent bool
}

func (s *site) visit(w http.ResponseWriter, r *http.Request) *Visit {
	v := &Visit{Request: r, Theme: theme.of(r), Deck: deck.of(r), site: s, w: w}
	v.Language = chosenLanguage(r)
	return v
}

// chosenLanguage returns the language that was chosen here, else the browser's.
func chosenLanguage(r *http.Request) lang.Language {
	if cookie, err := r.Cookie(language.name); err == nil {
		if l, ok := lang.ParseLanguage(cookie.Value); ok {
			return l
		}
	}
	return lang.Accepted(r.Header.Get("Accept-Language"))
}

// Context returns the request's context.
func (v *Visit) Context() context.Context { return v.Request.Context() }

// Wants reports whether the request carries a header.
func (v *Visit) Wants(header string) bool { return v.Request.Header.Get(header) != "" }

// Asset returns the address of a module or picture of the site.
func (v *Visit) Asset(name string) string { return v.site.assets.url(name) }

// Stamp distinguishes the files of one program from those of another.
func (v *Visit) Stamp() string { return v.site.assets.stamp }

// Page is one page: what stands within the frame.
type Page struct {
	// Title stands in the browser's tab, before the site's name.
	Title string
	// Description is the text that a search engine or a messenger shows of it; where a page has
	// none it is that of the whole site.
	Description string
	// Section is the key of the section it belongs to, marked in the navigation.
	Section string
	// Modules are the scripts it needs, by file name.
	Modules []string
	// Sheets are the style sheets that it needs beside that of the whole site.
	Sheets []string
	// Wide lets it use a wide screen whole.
	Wide bool
	// Full gives it the whole window: it has neither the site's head nor its foot, and brings
	// what it needs of them, such as [Looks].
	Full bool
	// Secret has browsers keep nothing of it, as of the pages of people who came in.
	Secret bool
	// Once says that its contents are shown this once: the menu, each choice of which asks for the
	// page anew, is left out.
	Once bool
	// Bare leaves the frame out: the answer is a fragment.
	Bare bool
	Body templ.Component
}

// Show answers with a page.
func (v *Visit) Show(p Page) error { return v.show(http.StatusOK, p) }

// ShowAs answers with a page and a status other than 200.
func (v *Visit) ShowAs(status int, p Page) error { return v.show(status, p) }

func (v *Visit) show(status int, p Page) error {
	body := p.Body
	if !p.Bare {
		body = frame(v, &p)
	}
	var out bytes.Buffer
	if err := body.Render(v.Context(), &out); err != nil {
		return err
	}
	h := v.w.Header()
	h.Set("Content-Language", v.Language.Tag())
	h.Set("Cache-Control", v.caching(p.Secret))
	h.Add("Vary", "Accept-Language, Cookie, "+FragmentHeader)
	return v.send(status, "text/html; charset=utf-8", out.Bytes())
}

// caching says what a browser may keep of an answer. Of an answer to a person who is signed in
// it may keep nothing, because the next person at that machine may go back to it.
func (v *Visit) caching(secret bool) string {
	if secret || v.presence().Name != "" {
		return "no-store"
	}
	return "no-cache"
}

// Fragment answers with a part of a page, for a module of ours that asked for
// it.
func (v *Visit) Fragment(c templ.Component) error {
	return v.show(http.StatusOK, Page{Bare: true, Body: c})
}

// Download answers with a file to keep.
func (v *Visit) Download(name, contentType string, body []byte) error {
	h := v.w.Header()
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	h.Set("Cache-Control", v.caching(false))
	return v.send(http.StatusOK, contentType, body)
}

// Redirect sends the visitor to another page of the site.
func (v *Visit) Redirect(path string) error {
	v.sent = true
	http.Redirect(v.w, v.Request, path, http.StatusSeeOther)
	return nil
}

// Leave sends the visitor to another site, which a configuration names.
func (v *Visit) Leave(address string) error {
	v.sent = true
	v.w.Header().Set("Cache-Control", "no-store")
	http.Redirect(v.w, v.Request, address, http.StatusSeeOther)
	return nil
}

// GoOn has the page that is shown next lead to another page of the site by itself.
func (v *Visit) GoOn(path string) { v.w.Header().Set("Refresh", "0; url="+path) }

// Done answers that the request is done, where there is nothing to show for it.
func (v *Visit) Done() error {
	v.sent = true
	v.w.WriteHeader(http.StatusNoContent)
	return nil
}

// SetCookie sets a cookie with the answer.
func (v *Visit) SetCookie(c *http.Cookie) { http.SetCookie(v.w, c) }

// Cookie returns the value of a cookie, empty for none: the one that the answer sets, or else
// the one that came with the request.
func (v *Visit) Cookie(name string) string {
	for _, line := range slices.Backward(v.w.Header()["Set-Cookie"]) {
		if c, err := http.ParseSetCookie(line); err == nil && c.Name == name {
			return c.Value
		}
	}
	if c, err := v.Request.Cookie(name); err == nil {
		return c.Value
	}
	return ""
}

// least is the length from which an answer is compressed.
const least = 1400

func (v *Visit) send(status int, contentType string, body []byte) error {
	v.sent = true
	h := v.w.Header()
	h.Set("Content-Type", contentType)
	h.Add("Vary", "Accept-Encoding")
	if len(body) >= least && compressible(contentType) && acceptsGzip(v.Request) {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write(body) // into memory, so it cannot fail
		_ = z.Close()
		h.Set("Content-Encoding", "gzip")
		body = packed.Bytes()
	}
	v.w.WriteHeader(status)
	if v.Request.Method == http.MethodHead {
		return nil
	}
	_, err := v.w.Write(body)
	if v.Context().Err() != nil {
		return nil
	}
	return err
}

func compressible(contentType string) bool {
	return strings.HasPrefix(contentType, "text/") || strings.HasPrefix(contentType, "application/json") ||
		strings.HasPrefix(contentType, "image/svg")
}

func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, q, _ := strings.Cut(strings.TrimSpace(part), ";")
		if strings.TrimSpace(name) == "gzip" && !strings.HasSuffix(strings.ReplaceAll(q, " ", ""), "q=0") {
			return true
		}
	}
	return false
}

// Form reads a form that was sent, of at most so many bytes.
func (v *Visit) Form(mostBytes int64) (url.Values, error) {
	v.Request.Body = http.MaxBytesReader(v.w, v.Request.Body, mostBytes)
	if err := v.Request.ParseForm(); err != nil {
		return nil, &Problem{http.StatusBadRequest, v.T("problem.form")}
	}
	return v.Request.PostForm, nil
}
