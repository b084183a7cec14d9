package forward

import (
	"fmt"
	"strings"
	"testing"

	"trey/internal/notary"
	"trey/internal/tree"
)

// batches returns batches of three transactions each; every second transaction has an
// event.
func batches(r *kept, count int) (all []string) {
	r.Helper()
	for i := range count {
		b := &Batch{Tree: r.notary.Last().Name, From: int64(3*i + 1), Through: int64(3*i + 3), Head: tree.Head{Size: int64(3*i + 4), Root: tree.Hash{byte(i)}}}
		for seq := b.From; seq <= b.Through; seq++ {
			if seq%2 == 0 {
				b.Lines = append(b.Lines, fmt.Sprintf(`{"seq":%d,"index":0,"kind":"floor"}`, seq), fmt.Sprintf(`{"seq":%d,"index":1,"kind":"floor"}`, seq))
			}
		}
		all = append(all, signed(r, b))
	}
	return all
}

func signed(r *kept, b *Batch) string {
	r.Helper()
	if err := b.sign(r.notary); err != nil {
		r.Fatal(err)
	}
	return string(b.Note)
}

func statement(t *testing.T, n *notary.Notary, lines string) string {
	t.Helper()
	text, err := n.SignStatement(purpose, lines)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A stored stream in which something was changed is found out, at its place.
func TestWhatIsWrongIsFound(t *testing.T) {
	r := newRecord(t)
	b := batches(r, 4)
	other := newRecord(t)
	size := func(text string) int { return strings.Count(text, "\n") }
	join := func(parts ...string) string { return strings.Join(parts, "") }
	third := size(b[0]) + size(b[1]) + 1
	again := func(change func(*Batch)) string {
		one := &Batch{From: 4, Through: 6, Head: tree.Head{Size: 7, Root: tree.Hash{1}}, Lines: []string{`{"seq":4,"index":0,"kind":"floor"}`, `{"seq":4,"index":1,"kind":"floor"}`, `{"seq":6,"index":0,"kind":"floor"}`, `{"seq":6,"index":1,"kind":"floor"}`}}
		change(one)
		return signed(r, one)
	}
	root := tree.Hash{}.String()
	for _, test := range []struct {
		name, text string
		want       []string // the beginnings of what is found
	}{
		{"nothing", join(b...), nil},
		{"sent twice", join(b[0], b[1], b[1], b[2], b[0], b[3]), nil},
		{"sent once more, and further", join(b[0], b[1], again(func(b *Batch) { b.From, b.Lines = 6, b.Lines[2:] })), nil},
		{"as syslog stores it", strings.ReplaceAll(join(b...), "\n\n", "\n"), nil},
		{"with the line ends of another system", strings.ReplaceAll(join(b...), "\n", "\r\n"), nil},
		{"a line changed", join(b[0], strings.Replace(b[1], `"seq":4,"index":0,"kind":"floor"`, `"seq":4,"index":0,"kind":"void"`, 1), b[2]), []string{
			fmt.Sprintf("stored:%d: this batch does not hold", size(b[0])+1), fmt.Sprintf("stored:%d: the events of transactions 4 to 6 are missing", third),
		}},
		{"a line dropped", join(strings.Replace(b[0], `{"seq":2,"index":1,"kind":"floor"}`+"\n", "", 1)), []string{"stored:1: this batch does not hold"}},
		{"lines swapped", strings.Replace(b[0], `{"seq":2,"index":0,"kind":"floor"}`+"\n"+`{"seq":2,"index":1,"kind":"floor"}`, `{"seq":2,"index":1,"kind":"floor"}`+"\n"+`{"seq":2,"index":0,"kind":"floor"}`, 1), []string{"stored:1: this batch does not hold"}},
		{"a line added", strings.Replace(b[0], "\n{", "\n{\"seq\":1,\"index\":0}\n{", 1), []string{"stored:1: this batch does not hold"}},
		{"a batch dropped", join(b[0], b[1], b[3]), []string{fmt.Sprintf("stored:%d: the events of transactions 7 to 9 are missing", third)}},
		{"the first dropped", join(b[1], b[2]), []string{"stored:1: the events of transactions 1 to 3 are missing"}},
		{"batches swapped", join(b[0], b[2], b[1], b[3]), []string{fmt.Sprintf("stored:%d: the events of transactions 4 to 6 are missing", size(b[0])+1)}},
		{"no signature", join(b[0], b[1][:strings.Index(b[1], "\u2014")]), []string{fmt.Sprintf("stored:%d: this batch does not hold", size(b[0])+1)}},
		{"no end", join(b...)[:len(join(b...))-len(b[3])/2], []string{fmt.Sprintf("stored:%d: this batch does not hold", third+size(b[2]))}},
		{"words between", join(b[0], "hello\n", b[1]), []string{fmt.Sprintf("stored:%d: this batch does not hold", size(b[0])+1)}},
		{"another house's", join(b[0], batches(other, 2)[1]), []string{fmt.Sprintf("stored:%d: this batch does not hold", size(b[0])+1)}},
		{"a checkpoint", join(b[0], string(r.notary.Last().Note)), []string{fmt.Sprintf("stored:%d: this batch does not hold", size(b[0])+1)}},
		{"another word about the same", join(b[0], b[1], again(func(b *Batch) { b.Lines[3] = `{"seq":6,"index":1,"kind":"void"}` })), []string{fmt.Sprintf("stored:%d: the events of transaction 6 are not those", third)}},
		{"silence about the same", join(b[0], b[1], again(func(b *Batch) { b.Lines = b.Lines[:2] })), []string{fmt.Sprintf("stored:%d: the events of transaction 6 are not those", third)}},
		{"an event remembered later", join(b[0], b[1], again(func(b *Batch) {
			b.Lines = append(b.Lines[:2:2], append([]string{`{"seq":5,"index":0,"kind":"void"}`}, b.Lines[2:]...)...)
		})), []string{fmt.Sprintf("stored:%d: the events of transaction 5 were left out", third)}},
		{"two histories", join(b[0], b[1], again(func(b *Batch) { b.Head.Root = tree.Hash{9} })), []string{fmt.Sprintf("stored:%d: the house has signed two trees of 7 leaves", third)}},
		// What the house itself may not sign.
		{"a place left out", again(func(b *Batch) { b.From, b.Through = 1, 6; b.Lines = b.Lines[1:] }), []string{"stored:1: this batch does not hold: event 1 of it is entry 1 of transaction 4"}},
		{"an event from elsewhere", again(func(b *Batch) { b.From, b.Through = 1, 5 }), []string{"stored:1: this batch does not hold: event 3 of it is entry 0 of transaction 6"}},
		{"beyond the checkpoint", again(func(b *Batch) { b.From, b.Head.Size = 1, 6 }), []string{"stored:1: this batch does not hold: its transactions go up to 6"}},
		{"no range", statement(t, r.notary, "transactions 3 2\ncheckpoint 4 "+root+"\n"), []string{"stored:1: this batch does not hold: \"transactions 3 2\" names no transactions"}},
		{"a range in other words", statement(t, r.notary, "transactions 01 2\ncheckpoint 4 "+root+"\n"), []string{"stored:1: this batch does not hold"}},
		{"no checkpoint", statement(t, r.notary, "transactions 1 2\ncheckpoint 4\n"), []string{"stored:1: this batch does not hold"}},
		{"one line", statement(t, r.notary, "transactions 1 2\n"), []string{"stored:1: this batch does not hold"}},
		{"no line", statement(t, r.notary, ""), []string{"stored:1: this batch does not hold"}},
		{"an event that is none", statement(t, r.notary, "transactions 1 2\ncheckpoint 4 "+root+"\nhello\n"), []string{"stored:1: this batch does not hold: event 1 of it cannot be read"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			findings, _ := r.check(test.text)
			ok := len(findings) == len(test.want)
			for i := range min(len(findings), len(test.want)) {
				ok = ok && strings.HasPrefix(findings[i].String(), test.want[i])
			}
			if !ok {
				t.Errorf("found are %q\nwant %q", findings, test.want)
			}
		})
	}
}

// The rest of a stream is checked from where it begins, over several files.
func TestCheckTheRest(t *testing.T) {
	r := newRecord(t)
	b := batches(r, 4)
	for _, test := range []struct {
		after int64
		want  int
	}{{3, 0}, {2, 1}, {5, 0}, {0, 1}} {
		c := NewChecker(test.after, r.notary.Verifier())
		for i, text := range b[1:] {
			if err := c.Read(fmt.Sprint(i), strings.NewReader(text)); err != nil {
				t.Fatal(err)
			}
		}
		if found := c.Findings(); len(found) != test.want {
			t.Errorf("after %d: %v", test.after, found)
		}
		if s := c.Streams()[0]; s.Through != 12 || s.Head.Size != 13 || s.Head.Root != (tree.Hash{3}) || s.Batches != 3 || s.Events != 10 {
			t.Errorf("after %d: %+v", test.after, s)
		}
	}
}

// No text from elsewhere breaks the checker.
func FuzzCheck(f *testing.F) {
	f.Add("trey-house/x/significant\ntransactions 1 2\ncheckpoint 3 x\n{}\n\n\u2014 x AAAA\n")
	f.Fuzz(func(t *testing.T, text string) {
		c := NewChecker(0, "trey-house/x+00000000+AAAA")
		_ = c.Read("stored", strings.NewReader(text))
		if len(c.Streams()) > 0 {
			t.Errorf("%q holds %v", text, c.Streams())
		}
	})
}
