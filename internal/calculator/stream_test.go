package calculator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"trey/rules/rws3cp"
	"trey/rules/us3cp"
)

const goodLine = `{"id":1,"player":"Qh 6d 4c","dealer":"Kd 9c 2s","wagers":{"ante":100,"play":100}}`

func answersTo(t *testing.T, r io.Reader) (answers []string, tally Tally) {
	t.Helper()
	var out bytes.Buffer
	tally, err := New(Terms(us3cp.Book())).Stream(r, &out)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n"), tally
}

func TestStreamAnswersEveryLineInOrder(t *testing.T) {
	input := "\uFEFF" + goodLine + "\r\n\n" + strings.Replace(goodLine, `"id":1`, `"id":"two"`, 1) + "\n{\"id\":3}\n" + goodLine
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"at once": func(r io.Reader) io.Reader { return r }, "byte by byte": iotest.OneByteReader,
		"by halves": iotest.HalfReader, "end with the bytes": iotest.DataErrReader,
	} {
		t.Run(name, func(t *testing.T) {
			answers, tally := answersTo(t, wrap(strings.NewReader(input)))
			if tally != (Tally{Lines: 5, Bad: 2}) || len(answers) != 5 {
				t.Fatalf("%+v, %d answers:\n%s", tally, len(answers), strings.Join(answers, "\n"))
			}
			for i, start := range []string{`{"id":1,"player_rank"`, `{"error":"the line is empty`, `{"id":"two","player_rank"`, `{"id":3,"error"`, `{"id":1,"player_rank"`} {
				if !strings.HasPrefix(answers[i], start) {
					t.Errorf("answer %d is %s, want it to start with %s", i+1, answers[i], start)
				}
			}
			if !strings.HasSuffix(answers[3], `"line":4}`) {
				t.Errorf("%s: want line 4", answers[3])
			}
		})
	}
}

func TestStreamOfNothing(t *testing.T) {
	var out bytes.Buffer
	tally, err := New(Terms(us3cp.Book())).Stream(strings.NewReader(""), &out)
	if err != nil || tally != (Tally{}) || out.Len() > 0 {
		t.Errorf("%+v, %v, %q", tally, err, out.String())
	}
}

// The longest line that is read, one byte less and one more, in the middle of a
// stream and at its end.
func TestLongLines(t *testing.T) {
	for _, length := range []int{MaxLine - 1, MaxLine, MaxLine + 1, 3*MaxLine + 7} {
		for _, end := range []string{"\n" + goodLine + "\n", ""} {
			long := goodLine + strings.Repeat(" ", length-len(goodLine))
			answers, tally := answersTo(t, strings.NewReader(goodLine+"\n"+long+end))
			want := Tally{Lines: 2}
			if end != "" {
				want.Lines = 3
			}
			if length > MaxLine {
				want.Bad = 1
			}
			if tally != want || len(answers) != want.Lines {
				t.Errorf("a line of %d bytes, then %q: %+v with %d answers, want %+v", length, end, tally, len(answers), want)
			}
			if tooLong := strings.Contains(answers[1], "longer than 1048576 bytes"); tooLong != (length > MaxLine) {
				t.Errorf("a line of %d bytes: answer %.100s", length, answers[1])
			}
		}
	}
}

func TestLongLineByteByByte(t *testing.T) {
	input := strings.Repeat("x", MaxLine+2) + "\n" + goodLine
	answers, tally := answersTo(t, iotest.HalfReader(strings.NewReader(input)))
	if tally != (Tally{Lines: 2, Bad: 1}) || !strings.Contains(answers[1], "player_rank") {
		t.Errorf("%+v %q", tally, answers)
	}
}

// The answer to a line comes before the next line is typed.
func TestStreamAnswersBeforeItWaits(t *testing.T) {
	inReader, in := io.Pipe()
	out, outWriter := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := New(Terms(us3cp.Book())).Stream(inReader, outWriter)
		outWriter.Close()
		done <- err
	}()
	decoder := json.NewDecoder(out)
	for i := range 3 {
		if _, err := fmt.Fprintln(in, goodLine); err != nil {
			t.Fatal(err)
		}
		var answer struct{ Net *int }
		if err := decoder.Decode(&answer); err != nil || answer.Net == nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
	}
	in.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestStreamErrors(t *testing.T) {
	broken := errors.New("cable pulled")
	c := New(Terms(us3cp.Book()))
	var out bytes.Buffer
	_, err := c.Stream(io.MultiReader(strings.NewReader(goodLine+"\n"), iotest.ErrReader(broken)), &out)
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "after line 1") || out.Len() == 0 {
		t.Errorf("a reader that breaks: %v, answers %q", err, out.String())
	}
	_, err = c.Stream(strings.NewReader(goodLine), brokenWriter{broken})
	if !errors.Is(err, broken) {
		t.Errorf("a writer that breaks: %v", err)
	}
	_, err = c.Stream(idleReader{}, &out)
	if !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader that gives nothing: %v", err)
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

type idleReader struct{}

func (idleReader) Read([]byte) (int, error) { return 0, nil }

// rounds is a stream of lines as an operator's day has them: no two alike in
// cards, some folded, some with side bets, another pay table or Envy.
func rounds(n int) []byte {
	var b bytes.Buffer
	random := newDeals(7)
	for i := range n {
		hands := random.hands(3)
		wagers := `"ante":1000,"play":1000,"pair-plus":500,"progressive":500`
		more := ""
		switch i % 8 {
		case 1:
			wagers, more = `"ante":1000,"pair-plus":500`, `,"folded":true`
		case 3:
			more = fmt.Sprintf(`,"others":["%s"]`, hands[2])
		case 5:
			more = `,"pay":{"pair-plus":"40/30/6/4/1"}`
		case 7:
			wagers = `"pair-plus":2500`
		}
		fmt.Fprintf(&b, `{"id":"%d","player":"%s","dealer":"%s","wagers":{%s},"meter":5000000%s}`+"\n", i, hands[0], hands[1], wagers, more)
	}
	return b.Bytes()
}

const benchmarkLines = 20_000

func BenchmarkSettle(b *testing.B) {
	input := rounds(benchmarkLines)
	c := New(Terms(rws3cp.Book()))
	benchmark(b, input, func() {
		tally, err := c.Stream(bytes.NewReader(input), io.Discard)
		if err != nil || tally != (Tally{Lines: benchmarkLines}) {
			b.Fatalf("%+v, %v", tally, err)
		}
	})
}

// BenchmarkSettleReference is the same work by encoding/json, which is what the
// hand-written reader has to be worth.
func BenchmarkSettleReference(b *testing.B) {
	input := rounds(benchmarkLines)
	v := Terms(rws3cp.Book())
	benchmark(b, input, func() {
		if err := reference(v, bytes.NewReader(input), io.Discard); err != nil {
			b.Fatal(err)
		}
	})
}

func benchmark(b *testing.B, input []byte, run func()) {
	b.ReportAllocs()
	b.SetBytes(int64(len(input)))
	for b.Loop() {
		run()
	}
	b.ReportMetric(float64(benchmarkLines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
