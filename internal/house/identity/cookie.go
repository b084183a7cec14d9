package identity

import "net/http"

// CookieName returns the name of the cookie in which a browser keeps the token of its session.
// The API and the pages share it. Secure says that the house is reached by TLS; the prefix then
// makes browsers refuse a cookie that was set for another path or without it.
func CookieName(secure bool) string {
	if secure {
		return "__Host-trey"
	}
	return "trey"
}

// DeviceCookieName returns the name of the cookie by which a browser proves that its person
// signed in from it before.
func DeviceCookieName(secure bool) string { return CookieName(secure) + "-device" }

// DeviceCookie returns that cookie, with the longest life that browsers allow.
func DeviceCookie(secure bool, text string) http.Cookie {
	const seconds = 400 * 24 * 60 * 60
	c := Cookie(secure, text, seconds)
	c.Name = DeviceCookieName(secure)
	return c
}

// Cookie returns that cookie for the given number of seconds; a number below zero removes the
// token. No script reads it, and it is sent to this house only.
func Cookie(secure bool, token string, seconds int) http.Cookie {
	return http.Cookie{
		Name: CookieName(secure), Value: token, Path: "/", MaxAge: seconds,
		HttpOnly: true, Secure: secure, SameSite: http.SameSiteStrictMode,
	}
}
