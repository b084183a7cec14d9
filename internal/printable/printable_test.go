package printable_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"trey/internal/printable"
)

// What each text becomes was written down by hand from the code charts of Unicode.
func TestEscape(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"plain", "ann plays box 1.", "ann plays box 1."},
		{"other scripts", "José 王小明 ♥ €", "José 王小明 ♥ €"},
		{"a no-break space", "1\u00a0000", "1\u00a0000"},
		{"line breaks", "ann\nThe log is sound.\r\n", `ann\nThe log is sound.\r\n`},
		{"a tab", "a\tb", `a\tb`},
		{"an escape code", "\x1b[31mred", `\u001b[31mred`},
		{"a title with a bell", "\x1b]0;x\x07", `\u001b]0;x\u0007`},
		{"delete", "a\x7f", `a\u007f`},
		{"the eight-bit control sequence introducer", "\u009b2J", `\u009b2J`},
		{"next line", "a\u0085b", `a\u0085b`},
		{"line and paragraph separators", "a\u2028b\u2029c", `a\u2028b\u2029c`},
		{"a right-to-left override", "\u202egpj", `\u202egpj`},
		{"an isolate", "\u2066x\u2069", `\u2066x\u2069`},
		{"a zero width space", "an\u200bn", `an\u200bn`},
		{"a byte order mark", "\ufeffann", `\ufeffann`},
		{"a tag character", "\U000e0041", `\udb40\udc41`},
		{"not UTF-8", "a\xffb\xc3", `a\xffb\xc3`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := printable.Escape(tt.text); got != tt.want {
				t.Errorf("%q becomes %s, want %s", tt.text, got, tt.want)
			}
			if got := string(printable.Append([]byte("x"), []byte(tt.text))); got != "x"+tt.want {
				t.Errorf("%q appends %s, want x%s", tt.text, got, tt.want)
			}
		})
	}
}

// A program that reads JSON reads what was written, whatever passed the stream.
func TestWriterKeepsTheMeaningOfJSON(t *testing.T) {
	const value = "a\u202e\u009b\u200b\u2028\u007f\U000e0041é\n"
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := printable.NewWriter(&out)
	for i := range text { // every way of cutting a character in two
		if n, err := w.Write(text[i : i+1]); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if s := out.String(); strings.ContainsAny(s, "\u202e\u009b\u200b\u2028\u007f\U000e0041") || !strings.Contains(s, "é") {
		t.Errorf("printed as %q", s)
	}
	var back string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back != value {
		t.Errorf("%s reads back as %q, %v", out.String(), back, err)
	}
}

func TestWriterPassesLines(t *testing.T) {
	var out bytes.Buffer
	w := printable.NewWriter(&out)
	for _, text := range []string{"one\ttwo\n", "\x1b[2J\r", "three \xe2\x99", "\xa5\n", "end \xe2\x99"} {
		if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("%q: %d, %v", text, n, err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if want := "one\ttwo\n" + `\u001b[2J\r` + "three ♥\n" + `end \xe2\x99`; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}

type fullDisk struct{}

var errFull = errors.New("no space left")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestWriterReportsWhatFails(t *testing.T) {
	if _, err := printable.NewWriter(fullDisk{}).Write([]byte("x")); !errors.Is(err, errFull) {
		t.Errorf("the error is %v", err)
	}
}

// FuzzWriter holds that a stream cut anywhere prints what it prints in one piece, and
// nothing that a terminal acts on.
func FuzzWriter(f *testing.F) {
	f.Add([]byte("ann \x1b[31m\u202e王\n\xff"), 5)
	f.Fuzz(func(t *testing.T, text []byte, cut int) {
		var complete, parts bytes.Buffer
		w := printable.NewWriter(&complete)
		_, _ = w.Write(text)
		_ = w.Flush()
		cut = max(0, min(cut, len(text)))
		w = printable.NewWriter(&parts)
		_, _ = w.Write(text[:cut])
		_, _ = w.Write(text[cut:])
		_ = w.Flush()
		if !bytes.Equal(complete.Bytes(), parts.Bytes()) {
			t.Fatalf("%q cut at %d gives %q, else %q", text, cut, parts.Bytes(), complete.Bytes())
		}
		if !utf8.Valid(complete.Bytes()) {
			t.Fatalf("%q gives %q", text, complete.Bytes())
		}
		for _, r := range complete.String() {
			if r != '\n' && r != '\t' && string(r) != printable.Escape(string(r)) {
				t.Fatalf("%q prints %q", text, r)
			}
		}
	})
}
