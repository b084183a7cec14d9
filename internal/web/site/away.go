package site

import (
	"fmt"
	"html"
	"net/http"

	"trey/internal/web/lang"
)

// readOnly reports whether a request changes nothing, so that it can be made again.
func readOnly(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead
}

// awayText says that the house is being opened again, and after a form that it is not known whether
// what was asked for was done.
func awayText(p lang.Printer, r *http.Request) string {
	if readOnly(r) {
		return p.T("problem.away")
	}
	return p.T("problem.unsure")
}

// AwayPage returns a page for a browser while nobody answers for the house, without the frame of a site
// whose house is open. One that was asked for loads itself again; a form never sends itself again.
func AwayPage(r *http.Request) string {
	p := lang.Printer{Language: chosenLanguage(r)}
	again := ""
	if readOnly(r) {
		again = `<meta http-equiv="refresh" content="2">`
	}
	return fmt.Sprintf(`<!DOCTYPE html><html lang="%s"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">%s`+
		`<title>%s</title></head><body><main><h1>%[3]s</h1><p>%s</p></main></body></html>`,
		p.Language.Tag(), again, html.EscapeString(p.T("problem.title")), html.EscapeString(awayText(p, r)))
}
