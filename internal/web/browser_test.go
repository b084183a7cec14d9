package web_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is the one browser that all tests of the package share; nil where
// there is none, and then why says so.
var (
	browser context.Context
	why     string
	slow    bool // the race detector is at work
)

func TestMain(m *testing.M) {
	flag.Parse()
	stop := start()
	code := m.Run()
	stop()
	os.Exit(code)
}

func start() (stop func()) {
	if testing.Short() || slow {
		why = "no browser in -short tests, nor beside the race detector"
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

// unsigned is a site of a house that has signed nothing of its record.
func unsigned(site http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", site)
	mux.HandleFunc("/log/", func(http.ResponseWriter, *http.Request) {})
	return mux
}

// most is the time that a test has in a browser: a machine may have other things to do.
const most = 10 * time.Minute

// tab opens a tab of the browser on a site of its own, or skips the test.
func tab(t *testing.T) (ctx context.Context, address string) {
	t.Helper()
	if browser == nil {
		t.Skip(why)
	}
	server := httptest.NewServer(unsigned(handler()))
	if err := chromedp.Run(browser); err != nil { // starts it, the first time
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(browser)
	ctx, timeout := context.WithTimeout(ctx, most)
	heard := listen(ctx, server.URL)
	t.Cleanup(func() {
		for _, complaint := range heard() {
			t.Error(complaint)
		}
		timeout()
		cancel()
		server.CloseClientConnections()
		server.Close()
	})
	return ctx, server.URL
}

// refusedForm matches the browser's message about a form that was answered by a page with
// errors.
var refusedForm = regexp.MustCompile(`status of (401|409|422) `)

// listen notes what no page of ours ever does: it asks nobody else for anything,
// keeps to its policy, and has no fault in its scripts.
func listen(ctx context.Context, address string) (heard func() []string) {
	var mutex sync.Mutex
	var complaints []string
	complain := func(format string, args ...any) {
		mutex.Lock()
		defer mutex.Unlock()
		complaints = append(complaints, fmt.Sprintf(format, args...))
	}
	chromedp.ListenTarget(ctx, func(event any) {
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if to := e.Request.URL; strings.HasPrefix(to, "http") && !strings.HasPrefix(to, address+"/") {
				complain("the page at %s asks for %s", e.DocumentURL, to)
			}
		case *runtime.EventExceptionThrown:
			complain("a script fails: %s", e.ExceptionDetails.Error())
		case *log.EventEntryAdded:
			if e.Entry.Level == log.LevelError && !refusedForm.MatchString(e.Entry.Text) {
				complain("the browser complains: %s (%s)", e.Entry.Text, e.Entry.URL)
			}
		}
	})
	return func() []string {
		mutex.Lock()
		defer mutex.Unlock()
		return complaints
	}
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

// page is one address of the site, what its picture is called, and what is done
// first for one, as a script.
type page struct{ path, name, first string }

var pages = []page{
	{"/", "", ""}, // without a house; pictures_test.go has the lobby of one
	{"/rules", "rules", ""},
	{"/rules/us-3cp", "rules-book", ""},
	{"/rules/rws-3cp/4.7", "rules-clause", ""},
	{"/rules/rws-3cp/scenario/5.8.6_whole_hands_moved", "rules-scenario", `document.querySelector("#step-8").scrollIntoView()`},
	{"/mathematics", "mathematics", ""},
	{"/mathematics/rws-3cp?pays.pair-plus.flush=3&meter=60000", "designer", ""},
	{"/mathematics/us-3cp/strategy", "strategy", ""},
	{"/school", "school", ""},
	{"/school/rws-3cp/pay/three", "school-pay", ""},
	{"/school/rws-3cp/rule/first", "school-rule", ""},
	{"/school/mbs-3pictures/compare/a", "school-compare", ""},
	{"/school/fr-p3c/rounds", "", ""},
	{"/school/us-3cp/rounds/abc-3-9999999999999-00000000000000000000000000000000", "school-rounds", ""},
	{"/check?sample", "check-proven", reported},
	{"/check", "check-failed", `document.querySelector("[data-sample]").click(); ` + reported + `.then(() => {
		const text = document.getElementById("check-text");
		text.value = text.value.replace('"card":"Qd"', '"card":"Qh"').replace('"pays":1000', '"pays":2000');
		document.querySelector("[data-paste] button").click();
	})`},
}

// reported waits until a round has been checked.
const reported = `new Promise((done) => {
	const look = () => document.querySelector("#check-verdict[data-proven]") ? done() : setTimeout(look, 20);
	look();
})`
