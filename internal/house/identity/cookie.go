package identity

import "net/http"

// CookieName is the name of the cookie in which a browser keeps the token of its
// session, whichever door it came in by: the one for programs or the one for people.
// Secure says that the house is reached by TLS; the prefix then makes browsers refuse
// a cookie that was set for another path or without it.
func CookieName(secure bool) string {
	if secure {
		return "__Host-trey"
	}
	return "trey"
}

// DeviceCookieName is the name of the cookie in which a browser keeps that its person
// signed in from it before.
func DeviceCookieName(secure bool) string { return CookieName(secure) + "-device" }

// DeviceCookie is that cookie, for as long as browsers keep one.
func DeviceCookie(secure bool, text string) http.Cookie {
	const seconds = 400 * 24 * 60 * 60
	c := Cookie(secure, text, seconds)
	c.Name = DeviceCookieName(secure)
	return c
}

// Cookie is that cookie, for so many seconds; below zero it takes the token away. No
// script reads it, and it is sent to this house only.
func Cookie(secure bool, token string, seconds int) http.Cookie {
	return http.Cookie{
		Name: CookieName(secure), Value: token, Path: "/", MaxAge: seconds,
		HttpOnly: true, Secure: secure, SameSite: http.SameSiteStrictMode,
	}
}
