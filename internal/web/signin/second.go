package signin

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/boombuler/barcode/qr"

	"trey/internal/house/identity"
	"trey/internal/web/site"
)

// askSecond asks for the second step of a sign-in, and says what was wrong with the last
// attempt, if there was one.
func (d *Authenticator) askSecond(v *site.Visit, step *identity.SecondStep, back string) error {
	status, wrong := http.StatusOK, ""
	if step.Wrong != nil {
		status, wrong = Wrong(v, step.Wrong)
	}
	page := site.Page{Title: v.T("second.title"), Secret: true, Body: secondPage(v, step, back, wrong)}
	if step.Passkey != nil {
		page.Modules = []string{PasskeyModule}
	}
	return v.ShowAs(status, page)
}

// PasskeyModule is the script of a page with [PasskeyButton].
const PasskeyModule = "passkey.js"

// Wrong says why a second factor, or what stands for it, was refused, and returns the
// status of such an answer.
func Wrong(v *site.Visit, err error) (status int, words string) {
	var wait *identity.Throttled
	switch {
	case errors.As(err, &wait):
		return http.StatusTooManyRequests, v.N("sign.wait", int(wait.WaitMs/1000+1))
	case errors.Is(err, identity.ErrBadCode):
		return http.StatusUnauthorized, v.T("second.wrong")
	case errors.Is(err, identity.ErrBadLogin):
		return http.StatusUnauthorized, v.T("password.wrong")
	}
	words, _ = v.ErrorText(err)
	if errors.Is(err, identity.ErrInvalid) {
		return http.StatusUnprocessableEntity, words
	}
	return http.StatusUnauthorized, words
}

// second takes the second step of a sign-in.
func (d *Authenticator) second(v *site.Visit) error {
	form, err := v.Form(64 << 10)
	if err != nil {
		return err
	}
	back, err := v.Back(form.Get("back"))
	if err != nil {
		return err
	}
	token, s, err := d.People.Second(v.Context(), identity.SecondCredentials{
		Ticket: form.Get("ticket"), Code: form.Get("code"), Passkey: []byte(form.Get("passkey")), Label: form.Get("label"),
		From: d.Admission.From(v.Request), Replaces: d.token(v),
	})
	var step *identity.SecondStep
	switch {
	case errors.As(err, &step):
		return d.askSecond(v, step, back)
	case errors.Is(err, identity.ErrNoTicket):
		return d.showSignIn(v, http.StatusUnauthorized, "", v.T("second.over"))
	case errors.Is(err, identity.ErrDeciding):
		return d.showSignIn(v, http.StatusConflict, "", v.T("sign.decide-in"))
	case err != nil:
		return err
	}
	d.enter(v, token, s)
	to := cmp.Or(back, Home(s.Role))
	if s.PasswordDue {
		to = passwordPath
	}
	if s.Recovery != "" {
		return ShowRecovery(v, strings.Fields(s.Recovery), to)
	}
	return v.Redirect(to)
}

// enter gives the visitor's browser a session that has just begun.
func (d *Authenticator) enter(v *site.Visit, token string, s identity.Session) {
	d.keep(v, token, int((s.EndsMs-d.NowMs())/1000))
	device := identity.DeviceCookie(d.Secure, s.Device)
	v.SetCookie(&device)
}

// code returns a QR code as one path, each module one unit, with its width.
func code(text string) (path string, width int) {
	made, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return "", 0 // too long for one: the secret stands beside it
	}
	var b strings.Builder
	bounds := made.Bounds()
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			if r, _, _, _ := made.At(x, y).RGBA(); r == 0 {
				fmt.Fprintf(&b, "M%d %dh1v1h-1z", x-bounds.Min.X, y-bounds.Min.Y)
			}
		}
	}
	return b.String(), bounds.Dx()
}

// inFours writes a secret in groups that can be read and typed.
func inFours(secret string) string {
	var groups []string
	for len(secret) > 4 {
		groups, secret = append(groups, secret[:4]), secret[4:]
	}
	return strings.Join(append(groups, secret), " ")
}
