package web_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"

	"trey/internal/steady"
)

// virtual plugs a device of the browser's own into it, which a person is always at.
func virtual(id *webauthn.AuthenticatorID) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) (err error) {
		*id, err = webauthn.AddVirtualAuthenticator(&webauthn.VirtualAuthenticatorOptions{
			Protocol: webauthn.AuthenticatorProtocolCtap2, Transport: webauthn.AuthenticatorTransportInternal,
			HasResidentKey: true, HasUserVerification: true, IsUserVerified: true, AutomaticPresenceSimulation: true,
		}).Do(ctx)
		return err
	})
}

func unplug(id *webauthn.AuthenticatorID) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error { return webauthn.RemoveVirtualAuthenticator(*id).Do(ctx) })
}

// TestPasskeysInABrowser holds that a browser enrols a passkey at the first sign-in, signs in
// with it, adds another one by it and removes the first, in either language. The page explains
// a browser's refusal, and axe-core finds nothing on the way.
func TestPasskeysInABrowser(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	for _, language := range []string{"en", "zh-Hans"} {
		t.Run(language, func(t *testing.T) {
			k := openGuarded(t)
			ctx := (&staffed{TB: t, address: k.origin}).as(t, "")
			source := axe(t)
			var first, second webauthn.AuthenticatorID
			names := regexp.MustCompile(`\b(?:ida|UTC|localhost|Phone|Key|PIN|https?|JavaScript)\b|` + regexp.QuoteMeta(k.origin))
			look := func(what string) {
				t.Helper()
				audited(t, ctx, source, what)
				for _, width := range []int64{360, 1280} {
					var wide bool
					do(t, ctx, chromedp.EmulateViewport(width, 900), still(), chromedp.Evaluate(`document.documentElement.scrollWidth > document.documentElement.clientWidth`, &wide))
					if wide {
						t.Errorf("%s scrolls sideways at %d", what, width)
					}
				}
				var page string
				do(t, ctx, chromedp.OuterHTML("html", &page))
				if left := english(names.ReplaceAllString(page, "")); language != "en" && left != "" {
					t.Errorf("%s says in English: %s", what, left)
				}
			}
			byPassword := chromedp.Tasks{
				chromedp.Navigate(k.origin + "/sign-in"), still(),
				chromedp.SetValue("#name", "ida"), chromedp.SetValue("#password", password), chromedp.Click(`form[action="/sign-in"] button`),
			}
			const create, get = `[data-passkey="create"] button`, `[data-passkey="get"] button`
			var codes int
			do(
				t, ctx, chromedp.EmulateViewport(1280, 900), cookies(k.origin, "lang", language, "theme", "light"),
				webauthn.Enable(), virtual(&first), byPassword, chromedp.WaitVisible(create),
			)
			look("the first sign-in")
			do(
				t, ctx, chromedp.SetValue("#label", "Phone"), chromedp.Click(create), chromedp.WaitVisible(".codes"),
				chromedp.Evaluate(`document.querySelectorAll(".codes li").length`, &codes),
				chromedp.Click(".sign-in .panel a.button"), chromedp.WaitVisible(".staff"),
				chromedp.Navigate(k.origin+"/account"), chromedp.WaitVisible("[data-passkey-of]"),
			)
			if codes != 10 || len(k.people.Factors("ida").Passkeys) != 1 {
				t.Fatalf("%d recovery codes, and %+v", codes, k.people.Factors("ida"))
			}
			look("the account")

			// The same device holds no second passkey; another one does.
			do(t, ctx, chromedp.Click(`form[action="/account/passkeys/begin"] button`), chromedp.WaitVisible(get))
			look("the second factor that there is")
			do(t, ctx, chromedp.Click(get), chromedp.WaitVisible(create))
			look("a new passkey")
			do(
				t, ctx, chromedp.Click(create), chromedp.WaitVisible("[data-known]"), unplug(&first), virtual(&second),
				chromedp.SetValue("#label", "Key"), chromedp.Click(create), chromedp.WaitVisible(`tr[data-passkey-of]:nth-child(2)`),
			)
			kept := k.people.Factors("ida").Passkeys
			if len(kept) != 2 || kept[0].Label != "Phone" || kept[1].Label != "Key" || kept[1].Host != "localhost" {
				t.Fatalf("the account has %+v", kept)
			}

			// A sign-in by the other device; and what the page says if the person is not known.
			do(
				t, ctx, network.DeleteCookies("trey").WithURL(k.origin), byPassword, chromedp.WaitVisible(get),
				chromedp.ActionFunc(func(ctx context.Context) error { return webauthn.SetUserVerified(second, false).Do(ctx) }),
				chromedp.Click(get), chromedp.WaitVisible("[data-failed]"),
			)
			look("a passkey that the browser does not give")
			do(
				t, ctx,
				chromedp.ActionFunc(func(ctx context.Context) error { return webauthn.SetUserVerified(second, true).Do(ctx) }),
				chromedp.Click(get), chromedp.WaitVisible(".staff"),
				chromedp.Navigate(k.origin+"/account"), chromedp.WaitVisible("[data-passkey-of]"),
				chromedp.Click(`tr[data-passkey-of="`+kept[0].ID+`"] button`), chromedp.WaitVisible(get),
			)
			look("what is shown to remove a passkey")
			do(t, ctx, chromedp.Click(get), chromedp.WaitVisible(`form[action="/sign-in"] [role="status"]`))
			if left := k.people.Factors("ida").Passkeys; len(left) != 1 || left[0].Label != "Key" || left[0].UsedMs == 0 {
				t.Errorf("the account keeps %+v", left)
			}
			do(t, ctx, byPassword, chromedp.WaitVisible(get), chromedp.Click(get), chromedp.WaitVisible(".staff"))
		})
	}
}

// Without a script nobody is kept out: the code of an app is set up and asked for.
func TestSecondFactorWithoutAScript(t *testing.T) {
	k := openGuarded(t)
	ida := k.comer("ida")
	ida.password()
	if !strings.Contains(ida.page, `<noscript>`) || !strings.Contains(ida.page, `class="button" hidden>`) {
		t.Errorf("a button that needs a script is shown without one: %s", ida.page)
	}
	secret := regexp.MustCompile(`<code>([A-Z2-7 ]{39})</code>`).FindStringSubmatch(ida.page)
	if secret == nil {
		t.Fatalf("no secret for an app: %s", ida.page)
	}
	ida.send("/sign-in/second", url.Values{"ticket": {ida.hidden("ticket")}, "code": {k.code(secret[1])}})
	if ida.status != http.StatusOK || !ida.in() {
		t.Errorf("by a code: %d %s", ida.status, ida.page)
	}
}
