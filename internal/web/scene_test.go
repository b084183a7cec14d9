package web_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"trey/internal/steady"
)

// TestARoundInTenSeconds opens the round of a game in the lobby. It takes ten seconds at most,
// moves by transform and opacity alone, and ends with all cards face up and every sentence to
// read. It begins anew whenever it is opened. With reduced motion all of it is there at once.
func TestARoundInTenSeconds(t *testing.T) {
	steady.Detail(t)
	t.Parallel()
	for _, reduced := range []bool{false, true} {
		ctx, address := tab(t)
		do(t, ctx, inMotion(reduced), chromedp.Navigate(address+"/"), chromedp.WaitReady(".film summary"))
		for range 2 {
			var found struct {
				Ends   []float64
				Moves  []string
				Hidden int
				Backs  int
			}
			do(t, ctx, chromedp.Evaluate(`(() => {
				const film = document.querySelector(".film");
				film.querySelector("summary").click();
				const all = document.getAnimations().filter((a) => a.effect.target.closest(".film"));
				const found = {
					ends: all.map((a) => a.effect.getComputedTiming().endTime),
					moves: [...new Set(all.flatMap((a) => a.effect.getKeyframes().flatMap((frame) => Object.keys(frame))))].filter((k) => !/^(offset|computedOffset|easing|composite)$/.test(k)),
				};
				for (const a of all) a.finish();
				const seen = (e) => e.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && e.getBoundingClientRect().width > 0;
				found.hidden = [...film.querySelectorAll(".film-steps li, .film-stake, .film-won, .film-card > :not(.down)")].filter((e) => !seen(e)).length;
				found.backs = [...film.querySelectorAll(".film-card > .down")].filter(seen).length;
				return found;
			})()`, &found), chromedp.Evaluate(`document.querySelector(".film summary").click(); new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))`, nil, await))
			last := 0.0
			for _, end := range found.Ends {
				last = max(last, end)
			}
			if reduced && len(found.Ends) > 0 || !reduced && (last < 8000 || last > 10_000) {
				t.Errorf("reduced motion %t: %d motions, the last ends after %v ms", reduced, len(found.Ends), last)
			}
			for _, property := range found.Moves {
				if property != "opacity" && property != "transform" {
					t.Errorf("it moves by %s", property)
				}
			}
			if found.Hidden > 0 || found.Backs > 0 {
				t.Errorf("reduced motion %t: at the end %d things are not to be seen, and %d cards lie face down", reduced, found.Hidden, found.Backs)
			}
		}
	}
}
