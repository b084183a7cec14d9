package web_test

import (
	"context"
	"errors"
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

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"trey/internal/steady"
)

// browser is the one browser that all tests of the package share; nil where
// there is none, and then why says so.
var (
	browser context.Context
	why     string
	slow    bool // the race detector is at work
)

func TestMain(m *testing.M) {
	steady.Parallel(2)
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
	// The shell draws the same pages and has no windows around them: it takes half the work.
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		why = "there is no browser: install Debian's chromium-headless-shell, or its chromium"
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
		// What chromedp leaves out, and the lists under the address bar, which are pages of their own:
		// every window would draw them, although nobody types an address.
		chromedp.Flag("disable-features", "site-per-process,Translate,BlinkGenPropertyTrees,WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup"),
	)
	if *pictures == "" {
		// Nobody looks: pages are laid out, animated and composed as ever, and no pixel of them is drawn,
		// for which there is no memory. Drawing would take as much work as all the rest.
		options = append(options, chromedp.Flag("force-gpu-mem-available-mb", "0"))
	}
	allocated, kill := chromedp.NewExecAllocator(context.Background(), options...)
	var cancel context.CancelFunc
	browser, cancel = chromedp.NewContext(allocated)
	return func() {
		// It is told to end: Debian's program is a script that starts it, and only that would be killed.
		if started {
			_ = chromedp.Cancel(browser) // it ends all the same when it is killed
		}
		cancel()
		kill()
		_ = os.RemoveAll(profile) // the browser may still be writing to it
	}
}

// unsigned returns a site of a house that has signed nothing of its record.
func unsigned(site http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", site)
	mux.HandleFunc("/log/", func(http.ResponseWriter, *http.Request) {})
	return mux
}

// most is the time that a test has in a browser: a machine may have other things to do.
const most = 10 * time.Minute

// running starts the browser, the first time.
var running = sync.OnceValue(func() error { started = true; return chromedp.Run(browser) })

// started reports whether a test has started the browser.
var started bool

// ownTab opens a tab with cookies and storage of its own, or skips the test: what other tests do
// in the browser at the same time does not touch it.
func ownTab(t *testing.T) context.Context {
	t.Helper()
	if browser == nil {
		t.Skip(why)
	}
	if err := running(); err != nil {
		t.Fatal(err)
	}
	executor := cdp.WithExecutor(browser, chromedp.FromContext(browser).Browser)
	browserContext, err := target.CreateBrowserContext().Do(executor)
	if err != nil {
		t.Fatal(err)
	}
	id, err := target.CreateTarget("about:blank").WithBrowserContextID(browserContext).WithNewWindow(true).Do(executor)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithTargetID(id))
	ctx, timeout := context.WithTimeout(ctx, most)
	t.Cleanup(func() {
		timeout()
		cancel()
		_ = target.DisposeBrowserContext(browserContext).Do(executor) // its pages are closed
	})
	return ctx
}

// tab opens a tab of the browser on a site of its own, or skips the test.
func tab(t *testing.T) (ctx context.Context, address string) {
	t.Helper()
	ctx = ownTab(t)
	server := httptest.NewServer(unsigned(handler()))
	heard := listen(ctx, server.URL)
	t.Cleanup(func() {
		for _, complaint := range heard() {
			t.Error(complaint)
		}
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

// replaced matches what the browser says of a node that the page has drawn anew after it was
// found: nothing was done with it.
var replaced = regexp.MustCompile(`(?i)node.*\(-32000\)`)

// do runs actions in the tab, one after the other. One that comes to a part of the page at the
// moment in which it is replaced is done with the next.
func do(t *testing.T, ctx context.Context, actions ...chromedp.Action) {
	t.Helper()
	for _, action := range actions {
		if tasks, several := action.(chromedp.Tasks); several {
			do(t, ctx, tasks...)
			continue
		}
		err := chromedp.Run(ctx, action)
		for tries := 0; err != nil && tries < 50 && replaced.MatchString(err.Error()); tries++ {
			err = chromedp.Run(ctx, action)
		}
		if errors.Is(err, context.DeadlineExceeded) {
			err = fmt.Errorf("the page did not do it in time: %w", err)
		}
		if err != nil {
			t.Fatal(err)
		}
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
