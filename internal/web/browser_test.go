package web_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"trey/internal/web"
)

// pictures is where `go test ./internal/web -run TestPictures -pictures=DIR`
// writes a picture of every page.
var pictures = flag.String("pictures", "", "write pictures of the pages to this folder")

// browser is the one browser that all tests of the package share; nil where
// there is none, and then why says so.
var (
	browser context.Context
	why     string
)

func TestMain(m *testing.M) {
	flag.Parse()
	stop := start()
	code := m.Run()
	stop()
	os.Exit(code)
}

func start() (stop func()) {
	if testing.Short() {
		why = "no browser in -short tests"
		return func() {}
	}
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		why = "there is no browser: install Debian's chromium"
		return func() {}
	}
	profile, err := os.MkdirTemp("", "trey-browser-")
	if err != nil {
		panic(err)
	}
	options := append(
		chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.UserDataDir(profile), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("lang", "en-US"), chromedp.Flag("hide-scrollbars", false),
	)
	allocated, kill := chromedp.NewExecAllocator(context.Background(), options...)
	var cancel context.CancelFunc
	browser, cancel = chromedp.NewContext(allocated)
	return func() {
		cancel()
		kill()
		_ = os.RemoveAll(profile) // the browser may still be writing to it
	}
}

// tab opens a tab of the browser on a site of its own, or skips the test.
func tab(t *testing.T) (ctx context.Context, address string) {
	t.Helper()
	if browser == nil {
		t.Skip(why)
	}
	server := httptest.NewServer(web.New(web.Config{Version: "trey, as tested", Log: slog.New(slog.NewTextHandler(io.Discard, nil))}))
	if err := chromedp.Run(browser); err != nil { // starts it, the first time
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(browser)
	ctx, timeout := context.WithTimeout(ctx, 90*time.Second)
	t.Cleanup(func() {
		timeout()
		cancel()
		server.CloseClientConnections()
		server.Close()
	})
	return ctx, server.URL
}

// do runs actions in the tab.
func do(t *testing.T, ctx context.Context, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(ctx, actions...); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("the page did not do it in time: %w", err)
		}
		t.Fatal(err)
	}
}

// page is one address of the site, and what its picture is called.
type page struct{ path, name string }

var pages = []page{
	{"/", "lobby"},
	{"/rules", "rules"},
	{"/rules/us-3cp", "rules-book"},
	{"/rules/rws-3cp/4.7", "rules-clause"},
	{"/rules/rws-3cp/scenario/5.8.6_whole_hands_moved", "rules-scenario"},
	{"/mathematics", "mathematics"},
	{"/mathematics/rws-3cp", "designer"},
	{"/mathematics/us-3cp/strategy", "strategy"},
}

// Pictures of every page, for the documentation and to be looked at.
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("give -pictures=DIR to write pictures of the pages")
	}
	ctx, address := tab(t)
	for _, p := range pages {
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
