package web_test

import (
	"context"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// cookies sets cookies of the site, in pairs of name and value.
func cookies(address string, pairs ...string) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		for i := 0; i+1 < len(pairs); i += 2 {
			if err := network.SetCookie(pairs[i], pairs[i+1]).WithURL(address).Do(ctx); err != nil {
				return err
			}
		}
		return nil
	})
}

// keyboard presses keys as a keyboard does, one after the other: where the page takes a key for
// itself, no character follows. What chromedp.KeyEvent sends is no raw press of a key, and its
// character arrives wherever the focus is by then.
func keyboard(keys string) chromedp.KeyAction {
	return chromedp.KeyEvent(keys, func(press *input.DispatchKeyEventParams) *input.DispatchKeyEventParams {
		if press.Type == input.KeyDown {
			press.Type = input.KeyRawDown
		}
		return press
	})
}

// still asks for reduced motion, so that nothing moves during a check. It waits until the page
// has been drawn and nothing that came is hidden.
func still() chromedp.Action {
	return chromedp.Tasks{
		chromedp.ActionFunc(func(ctx context.Context) error {
			return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}).Do(ctx)
		}),
		chromedp.Evaluate(`new Promise((done) => {
			const look = () => (document.getAnimations().some((a) => "clipPath" in (a.effect.getKeyframes()[0] ?? {})) ? requestAnimationFrame(look) : done());
			requestAnimationFrame(() => requestAnimationFrame(look));
		})`, nil, await),
	}
}

// await makes an evaluation wait for its promise.
func await(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
