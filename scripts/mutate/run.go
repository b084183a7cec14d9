package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// test is one test of a program, with what is known of it without any bug.
type test struct {
	*program
	name    string // with those of the tests around it, such as TestScenarios/rws-3cp/4.9
	took    time.Duration
	reached map[int]bool // the bugs that would make a difference in it
}

// chosen returns the -test.run that chooses tests. Their names have as many parts each.
func chosen(names []string) string {
	var parts []string
	for i := range strings.Split(names[0], "/") {
		var part []string
		for _, name := range names {
			if p := regexp.QuoteMeta(strings.Split(name, "/")[i]); !slices.Contains(part, p) {
				part = append(part, p)
			}
		}
		parts = append(parts, "^("+strings.Join(part, "|")+")$")
	}
	return strings.Join(parts, "/")
}

// command returns the run of tests of one program.
func (p *program) command(ctx context.Context, limit time.Duration, pattern string, env ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, p.file, "-test.run", pattern, "-test.failfast", "-test.timeout", limit.String())
	c.Dir = p.dir
	c.Env = append(os.Environ(), "RAPID_NOFAILFILE=1") // rapid would write what fails into the tree
	c.Env = append(c.Env, env...)
	c.WaitDelay = 5 * time.Second
	return c
}

// reach runs each test alone, without a bug, and returns those that pass in time, the
// shortest first.
func reach(ctx context.Context, o options, programs []*program, out io.Writer) ([]*test, error) {
	var tests []*test
	for _, p := range programs {
		list, err := exec.CommandContext(ctx, p.file, "-test.list", "^(Test|Example|Fuzz)").Output()
		if err != nil {
			return nil, fmt.Errorf("the tests of %s cannot be listed: %w", p.of, err)
		}
		var names []string
		for name := range strings.FieldsSeq(string(list)) {
			if !o.run.MatchString(name) {
				continue
			}
			parts, err := o.parts(ctx, p, name)
			if err != nil {
				return nil, err
			}
			names = append(names, parts...)
		}
		for _, name := range names {
			t := &test{program: p, name: name, reached: map[int]bool{}}
			noted := filepath.Join(filepath.Dir(p.file), "reached")
			begun := time.Now()
			limited, cancel := context.WithTimeout(ctx, o.limit)
			text, err := p.command(limited, o.limit, chosen([]string{name}), bugVariable+"=-1", reachedVariable+"="+noted).CombinedOutput()
			cancel()
			t.took = time.Since(begun)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			lines, failed := os.ReadFile(noted)
			if failed != nil && !errors.Is(failed, os.ErrNotExist) {
				return nil, failed
			}
			if err := os.RemoveAll(noted); err != nil {
				return nil, err
			}
			if err != nil {
				fmt.Fprintf(out, "%s %s is left out: it fails without a bug, or takes longer than %s: %v %.300s\n", p.of, name, o.limit, err, text)
				continue
			}
			for line := range strings.FieldsSeq(string(lines)) {
				n, err := strconv.Atoi(line)
				if err != nil {
					return nil, err
				}
				t.reached[n] = true
			}
			if len(t.reached) > 0 {
				tests = append(tests, t)
			}
		}
	}
	slices.SortStableFunc(tests, func(a, b *test) int { return int(a.took - b.took) })
	return tests, nil
}

// parts returns a test, or its subtests without any below them where they are run one by
// one.
func (o options) parts(ctx context.Context, p *program, name string) ([]string, error) {
	if o.each == nil || !o.each.MatchString(name) {
		return []string{name}, nil
	}
	pattern := chosen([]string{name})
	if o.within != "" {
		pattern += "/" + o.within
	}
	c := p.command(ctx, 10*o.limit, pattern)
	c.Args = append(c.Args, "-test.v")
	text, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s fails without a bug: %w", p.of, name, err)
	}
	var names []string
	for line := range strings.Lines(string(text)) {
		if run, ok := strings.CutPrefix(line, "=== RUN   "); ok {
			names = append(names, strings.TrimSpace(run))
		}
	}
	return slices.DeleteFunc(names, func(outer string) bool {
		return slices.ContainsFunc(names, func(inner string) bool { return strings.HasPrefix(inner, outer+"/") })
	}), nil
}

// alike reports whether two tests can be chosen together, and nothing besides them.
func alike(a, b *test) bool {
	outer := func(t *test) string { return t.name[:strings.LastIndexByte(t.name, '/')+1] }
	return a.program == b.program && outer(a) == outer(b)
}

// try runs the tests that reach a bug until one fails. It returns "" if one did, and
// otherwise what was tried.
func try(ctx context.Context, o options, b *bug, tests []*test) (string, error) {
	begun := time.Now()
	ran, left := 0, 0
	var batch []*test
	var last time.Duration // of the tests in the batch
	run := func() (failed bool, err error) {
		if len(batch) == 0 {
			return false, nil
		}
		names := make([]string, len(batch))
		for i, t := range batch {
			names[i] = t.name
		}
		// A bug may have a test run for ever.
		limit := 10*time.Second + 10*last
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		err = batch[0].command(limited, limit, chosen(names), bugVariable+"="+strconv.Itoa(b.number)).Run()
		ran += len(batch)
		batch, last = nil, 0
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		return err != nil, nil
	}
	for _, t := range tests {
		if !t.reached[b.number] {
			continue
		}
		if len(batch) > 0 && (!alike(batch[0], t) || last+t.took > 2*time.Second) {
			if failed, err := run(); failed || err != nil {
				return "", err
			}
		}
		if time.Since(begun)+last+t.took > o.limit {
			left++
			continue
		}
		batch = append(batch, t)
		last += t.took
	}
	if failed, err := run(); failed || err != nil {
		return "", err
	}
	switch {
	case ran == 0 && left == 0:
		return "no test comes there with a difference", nil
	case left > 0:
		return fmt.Sprintf("%d tests pass, %d were left out for their time", ran, left), nil
	default:
		return fmt.Sprintf("%d tests pass", ran), nil
	}
}
