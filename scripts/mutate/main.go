// Command mutate makes one small bug at a time in a package and reports those that no
// test finds: a condition that never holds, < for <=, + for -, a statement that is not
// carried out, an error that is not returned, two arguments in each other's place, a
// number that is off by one.
//
//	go run ./scripts/mutate ./jackpot
//	go run ./scripts/mutate -n 40 -seed 3 ./internal/house/posting ./internal/house/proof
//
// The first package is the one with the bugs. Its own tests look for them, and so do those
// of the packages named after it. All bugs are compiled into one test program for each
// package, by an overlay: nothing is written into the tree. A bug is switched on by the
// environment, so that a run of a test costs no more than the test. Each test first runs
// alone to find out for which bugs it comes to where they make a difference, and only those
// tests run for a bug, the shortest first. What is drawn by -seed and -n is drawn the same
// in each run.
//
// A test of many subtests, such as TestScenarios, takes too long to run for each bug: with
// -each its subtests are run as if each was a test.
//
// accepted.txt lists the bugs that change nothing, each with the reason.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	survived, err := mutate(ctx, os.Args[1:], os.Stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	case survived > 0:
		os.Exit(1)
	}
}

// options hold the settings of a run.
type options struct {
	number int            // of bugs that are tried, 0 for all
	seed   uint64         // draws them
	kinds  []kind         // that are tried
	in     *regexp.Regexp // the functions in which bugs are made
	run    *regexp.Regexp // the tests that look for them
	each   *regexp.Regexp // the tests whose subtests are run one by one, nil for none
	within string         // which of their subtests, "" for all
	limit  time.Duration  // for the tests of one bug
	list   bool
}

// mutate carries out a run and returns how many bugs no test found.
func mutate(ctx context.Context, args []string, out io.Writer) (survived int, err error) {
	var o options
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: go run ./scripts/mutate [flags] PACKAGE [PACKAGE WITH MORE TESTS ...]")
		flags.PrintDefaults()
	}
	flags.IntVar(&o.number, "n", 0, "`number` of bugs to try, drawn by the seed; 0 tries all")
	flags.Uint64Var(&o.seed, "seed", 1, "draws the bugs")
	kinds := flags.String("kinds", "", "`kinds` of bugs to make, separated by commas; all if empty: "+strings.Join(kindNames, ", "))
	in := flags.String("in", "", "`regexp` of the functions in which to make bugs, such as 'Opened.apply'")
	run := flags.String("run", "", "`regexp` of the tests that look for them")
	each := flags.String("each", "", "`regexp` of the tests whose subtests are run one by one, and after a / of those subtests")
	flags.DurationVar(&o.limit, "limit", time.Minute, "`time` for the tests of one bug; longer tests are left out")
	flags.BoolVar(&o.list, "list", false, "list the bugs and run no test")
	if err := flags.Parse(args); err != nil {
		return 0, err
	}
	if flags.NArg() == 0 {
		return 0, errors.New("no package is named: name one, such as ./jackpot")
	}
	if o.in, err = regexp.Compile(*in); err != nil {
		return 0, err
	}
	if o.run, err = regexp.Compile(*run); err != nil {
		return 0, err
	}
	if *each != "" {
		topmost, within, _ := strings.Cut(*each, "/")
		o.within = within
		if o.each, err = regexp.Compile(topmost); err != nil {
			return 0, err
		}
	}
	if *kinds != "" {
		for name := range strings.SplitSeq(*kinds, ",") {
			i := slices.Index(kindNames, name)
			if i < 0 {
				return 0, fmt.Errorf("-kinds: %q is none of %s", name, strings.Join(kindNames, ", "))
			}
			o.kinds = append(o.kinds, kind(i))
		}
	}
	work, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(work)

	p, err := load(ctx, flags.Arg(0))
	if err != nil {
		return 0, err
	}
	reasons, err := accepted()
	if err != nil {
		return 0, err
	}
	found, err := p.bugs()
	if err != nil {
		return 0, err
	}
	for _, key := range stale(reasons, found, p) {
		fmt.Fprintf(out, "accepted.txt: this bug is no longer there: %s\n", key)
	}
	drawn, spared := o.draw(found, reasons)
	if drawn, err = p.compiling(ctx, drawn); err != nil {
		return 0, err
	}
	fmt.Fprintf(out, "%s: %d bugs of %d, %d accepted\n", p.path, len(drawn), len(found), spared)
	if o.list {
		for _, b := range drawn {
			fmt.Fprintln(out, b)
		}
		return 0, nil
	}
	programs, err := p.build(ctx, work, drawn, flags.Args())
	if err != nil {
		return 0, err
	}
	tests, err := reach(ctx, o, programs, out)
	if err != nil {
		return 0, err
	}
	for _, b := range drawn {
		res, err := try(ctx, o, b, tests)
		if err != nil {
			return survived, err
		}
		if res != "" {
			survived++
			fmt.Fprintf(out, "\n%s  %s\n%s", b, res, b.diff(p))
		}
	}
	fmt.Fprintf(out, "\n%s: %d of %d bugs survived\n", p.path, survived, len(drawn))
	return survived, nil
}

// draw returns the bugs to try, in their order in the files, and how many are spared
// because they are accepted.
func (o options) draw(all []*bug, reasons map[string]string) (drawn []*bug, spared int) {
	for _, b := range all {
		switch {
		case len(o.kinds) > 0 && !slices.Contains(o.kinds, b.kind) || !o.in.MatchString(b.function):
		case reasons[b.key()] != "":
			spared++
		default:
			drawn = append(drawn, b)
		}
	}
	if o.number == 0 || o.number >= len(drawn) {
		return drawn, spared
	}
	chance := rand.New(rand.NewPCG(o.seed, 0))
	chance.Shuffle(len(drawn), func(i, k int) { drawn[i], drawn[k] = drawn[k], drawn[i] })
	drawn = drawn[:o.number]
	slices.SortFunc(drawn, func(a, b *bug) int { return a.number - b.number })
	return drawn, spared
}

// accepted reads the bugs that change nothing, with the reasons. A bug stands on a line of its
// own, and its reason on the indented lines below.
func accepted() (map[string]string, error) {
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(root, "scripts", "mutate", "accepted.txt"))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return readAccepted(string(text)), err
}

func readAccepted(text string) map[string]string {
	reasons := map[string]string{}
	var bugs []string // those above a reason share it
	reason := false
	for line := range strings.Lines(text) {
		entry := strings.TrimSpace(line)
		switch {
		case entry == "" || strings.HasPrefix(entry, "#"):
		case strings.HasPrefix(line, "\t"):
			reason = true
			for _, b := range bugs {
				reasons[b] = strings.TrimSpace(reasons[b] + " " + entry)
			}
		default:
			if reason {
				bugs, reason = nil, false
			}
			bugs = append(bugs, entry)
		}
	}
	return reasons
}

// stale returns the accepted bugs of the package that cannot be made any more.
func stale(reasons map[string]string, found []*bug, p *mutated) []string {
	var lost []string
	for key := range reasons {
		file, _, _ := strings.Cut(key, " ")
		if filepath.ToSlash(filepath.Dir(file)) == p.folder && !slices.ContainsFunc(found, func(b *bug) bool { return b.key() == key }) {
			lost = append(lost, key)
		}
	}
	slices.Sort(lost)
	return lost
}
