package web_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// pictures is where `go test ./internal/web -run TestPictures -pictures=DIR`
// writes a picture of every page.
var pictures = flag.String("pictures", "", "write pictures of the pages to this folder")

// only is the part of a page's name for which pictures are written.
var only = flag.String("only", "", "write pictures of pages with this in their name alone")

// Pictures of every page, for the documentation and to be looked at.
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("give -pictures=DIR to write pictures of the pages")
	}
	ctx, address := tab(t)
	for _, p := range pages {
		if !strings.Contains(p.name, *only) {
			continue
		}
		for _, look := range []struct {
			name, theme, lang string
			width, height     int64
		}{
			{"light", "light", "en", 1280, 860},
			{"dark", "dark", "en", 1280, 860},
			{"phone", "light", "en", 360, 760},
			{"zh", "light", "zh-Hans", 1280, 860},
		} {
			var picture []byte
			do(
				t, ctx,
				chromedp.EmulateViewport(look.width, look.height),
				cookies(address, "theme", look.theme, "lang", look.lang, "deck", "two"),
				chromedp.Navigate(address+p.path),
				still(),
				chromedp.FullScreenshot(&picture, 100),
			)
			name := filepath.Join(*pictures, fmt.Sprintf("%s-%s.png", p.name, look.name))
			if err := os.WriteFile(name, picture, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}
