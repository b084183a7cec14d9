package entry

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

// askSecond asks for the second step of a sign-in.
func (d *Desk) askSecond(v *site.Visit, status int, step *identity.SecondStep, back, wrong string) error {
	return v.ShowAs(status, site.Page{Title: v.T("second.title"), Secret: true, Body: secondPage(v, step, back, wrong)})
}

// second takes the second step of a sign-in.
func (d *Desk) second(v *site.Visit) error {
	form, err := v.Form(4 << 10)
	if err != nil {
		return err
	}
	back, err := v.Back(form.Get("back"))
	if err != nil {
		return err
	}
	step := &identity.SecondStep{Ticket: form.Get("ticket")}
	if secret := form.Get("secret"); secret != "" {
		step.Enrol = &identity.Enrolment{Secret: secret, URI: form.Get("uri")}
	}
	token, s, err := d.People.Second(v.Context(), identity.SecondCredentials{
		Ticket: step.Ticket, Code: form.Get("code"), From: d.Admission.From(v.Request), Replaces: d.token(v),
	})
	var wait *identity.Throttled
	var again *identity.SecondStep
	switch {
	case errors.As(err, &again):
		return d.askSecond(v, http.StatusOK, again, back, "")
	case errors.As(err, &wait):
		return d.askSecond(v, http.StatusTooManyRequests, step, back, v.T("sign.wait", "n", v.Whole(int(wait.WaitMs/1000+1))))
	case errors.Is(err, identity.ErrBadCode):
		return d.askSecond(v, http.StatusUnauthorized, step, back, v.T("second.wrong"))
	case errors.Is(err, identity.ErrNoTicket):
		return d.showSignIn(v, http.StatusUnauthorized, "", v.T("second.over"))
	case err != nil:
		return err
	}
	d.enter(v, token, s)
	to := cmp.Or(back, Home(s.Role))
	if s.PasswordDue {
		to = passwordPath
	}
	if s.Recovery != "" {
		return v.Show(site.Page{Title: v.T("second.recovery"), Secret: true, Body: recoveryPage(v, strings.Fields(s.Recovery), to)})
	}
	return v.Redirect(to)
}

// enter gives the visitor's browser a session that has just begun.
func (d *Desk) enter(v *site.Visit, token string, s identity.Session) {
	d.keep(v, token, int((s.EndsMs-d.NowMs())/1000))
	device := identity.DeviceCookie(d.Secure, s.Device)
	v.SetCookie(&device)
}

// code is a QR code as one path, each module one unit, with its width.
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
