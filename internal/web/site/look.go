package site

import "github.com/a-h/templ"

// scheme returns the value of the meta element by which a browser draws its own parts, such as
// scroll bars.
func scheme(theme string) string {
	if theme == "auto" {
		return "light dark"
	}
	return theme
}

// languageOf returns the attribute of a text in another language.
func languageOf(tag string) templ.Attributes {
	if tag == "" {
		return nil
	}
	return templ.Attributes{"lang": tag}
}

// darkWhen holds the condition for the dark colours, by theme; display.js has the same.
var darkWhen = map[string]string{"auto": "(prefers-color-scheme: dark)", "dark": "all", "light": "not all"}
