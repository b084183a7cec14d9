package web_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	cdp "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// pictures is the folder into which `go test ./internal/web -run TestPictures -pictures=DIR`
// writes a picture of every page.
var pictures = flag.String("pictures", "", "write pictures of the pages to this folder")

// only is the part of a page's name for which pictures are written.
var only = flag.String("only", "", "write pictures of pages with this in their name alone")

// look is the window, theme and language of a visitor.
type look struct {
	name, theme, lang, deck string
	width, height           int64
}

var (
	wide = []look{
		{"light", "light", "en", "two", 1280, 832},
		{"dark", "dark", "en", "four", 1280, 832},
	}
	phone = look{"phone", "light", "en", "four", 390, 844}
)

// Pictures of every page, for the documentation and to be looked at:
//
//	go test ./internal/web -run TestPictures -pictures=../../docs/pictures
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("give -pictures=DIR to write pictures of the pages")
	}
	ctx, address := tab(t)
	draw(t, ctx, address, pages)
}

// watched are the pages of surveillance as their pictures show them: one round is
// over at T1, and one is in play.
var watched = []page{
	{"/surveillance", "surveillance", ""},
	{"/surveillance/tables/T1", "surveillance-table", ""},
	{"/surveillance/rounds?player=ann", "surveillance-rounds", ""},
	{"/surveillance/rounds/T1/1", "surveillance-replay", `{
		const scrub = document.querySelector("[data-scrub]");
		scrub.value = 4;
		scrub.dispatchEvent(new Event("input"));
		document.querySelector("[data-player]").scrollIntoView();
	}`},
	{"/surveillance/log", "surveillance-log", `document.querySelectorAll(".watch-log details")[1].open = true`},
	{"/surveillance/balance", "surveillance-balance", ""},
}

// Pictures of what surveillance sees.
func TestPicturesOfSurveillance(t *testing.T) {
	if *pictures == "" {
		t.Skip("give -pictures=DIR to write pictures of the pages")
	}
	s := openStaffed(t)
	sam := s.as(t, "sam")
	s.settled("T1")
	s.betting("T1")
	draw(t, sam, s.address, watched)
}

// draw writes two pictures of each of these pages that has a name: one on a telephone, and one on
// a wide screen, by turns light and dark.
func draw(t *testing.T, ctx context.Context, address string, pages []page) {
	t.Helper()
	for i, p := range pages {
		if p.name != "" {
			take(t, ctx, address, p.name, p.path, p.first, wide[i%len(wide)])
			take(t, ctx, address, p.name, p.path, p.first, phone)
		}
	}
}

// Pictures of the lobby of a house with a table of each book.
func TestPicturesOfTheLobby(t *testing.T) {
	if *pictures == "" {
		t.Skip("give -pictures=DIR to write pictures of the pages")
	}
	f := newFloor(t, unhurried, nil)
	draw(t, guestTab(t, f), f.address, []page{{"/", "lobby", ""}})
}

// Pictures of what the staff and the walls of the house have before them.
func TestPicturesOfTheStaff(t *testing.T) {
	if *pictures == "" {
		t.Skip("give -pictures=DIR to write pictures of the pages")
	}
	s := openStaffed(t)
	s.busy()
	ctx := s.as(t, "sue")
	draw(t, ctx, s.address, staffPages)
	take(t, ctx, s.address, "jackpot-wall", "/jackpots/linked", "", look{"1920", "light", "en", "two", 1920, 1080})
	take(t, ctx, s.address, "jackpot-wall", "/jackpots/linked", "", look{"3840", "light", "en", "two", 3840, 2160})
}

// take writes the picture of a page.
func take(t *testing.T, ctx context.Context, address, page, path, first string, l look) {
	t.Helper()
	if !strings.Contains(page, *only) {
		return
	}
	var picture []byte
	do(
		t, ctx,
		chromedp.EmulateViewport(l.width, l.height),
		cookies(address, "theme", l.theme, "lang", l.lang, "deck", l.deck),
		chromedp.Navigate(address+path),
		still(), chromedp.Evaluate(first, nil, await), still(),
		chromedp.ActionFunc(func(ctx context.Context) (err error) {
			if err := emulation.SetScrollbarsHidden(true).Do(ctx); err != nil {
				return err
			}
			picture, err = cdp.CaptureScreenshot().WithFormat(cdp.CaptureScreenshotFormatWebp).WithQuality(82).Do(ctx)
			return err
		}),
	)
	if err := os.WriteFile(filepath.Join(*pictures, fmt.Sprintf("%s-%s.webp", page, l.name)), picture, 0o666); err != nil {
		t.Fatal(err)
	}
}
