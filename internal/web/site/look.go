package site

import "github.com/a-h/templ"

// scheme is the value of the meta element that tells a browser how to draw what
// is its own, such as scroll bars.
func scheme(theme string) string {
	if theme == "auto" {
		return "light dark"
	}
	return theme
}

// languageOf is the attribute of a text in another language.
func languageOf(tag string) templ.Attributes {
	if tag == "" {
		return nil
	}
	return templ.Attributes{"lang": tag}
}

// darkWhen is when the dark colours hold, by theme; display.js has the same.
var darkWhen = map[string]string{"auto": "(prefers-color-scheme: dark)", "dark": "all", "light": "not all"}
