package site

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// isHere reports whether an address that came with a form is a path of this site that a
// browser takes as it is written. Browsers drop control characters, read a backslash as a
// slash, and read "//" as the beginning of another site's name. An address with any of them is
// refused and never corrected.
func isHere(address string) bool {
	plain := func(s string) bool {
		return !strings.Contains(s, `\`) && !strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 })
	}
	to, err := url.ParseRequestURI(address)
	if err != nil || !strings.HasPrefix(address, "/") || !plain(address) || to.Host != "" || to.Scheme != "" || !plain(to.Path) {
		return false
	}
	for _, path := range []string{to.EscapedPath(), to.Path} {
		if !strings.HasPrefix(path, "/") || strings.Contains(path, "//") {
			return false
		}
		if parts := strings.Split(path, "/"); slices.Contains(parts, ".") || slices.Contains(parts, "..") {
			return false
		}
	}
	return true
}

// Back returns the path that a visitor goes on to, from the field "back" of a form or
// an address, empty if there is none. Anything but a path of this site is a problem.
func (v *Visit) Back(address string) (string, error) {
	if address == "" || isHere(address) {
		return address, nil
	}
	return "", &Problem{http.StatusBadRequest, v.T("problem.back")}
}

// here returns the path of the visit, for a form to come back to.
func (v *Visit) here() string {
	if at := v.Request.URL.RequestURI(); isHere(at) {
		return at
	}
	return "/"
}
