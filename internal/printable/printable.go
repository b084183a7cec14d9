// Package printable makes text from a file, a name or a message safe to print on a
// terminal. A terminal acts on control characters: they move the cursor, rewrite
// lines above, or answer as if a person had typed. Bidirectional controls and other
// invisible characters change the order or the look of what stands beside them.
//
// Both are written as JSON writes them, such as \u001b. So a program that reads JSON
// still reads the same value, and a person sees what was there.
//
// It will never change a character that a person can see.
package printable

import (
	"io"
	"slices"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Escape returns the text with everything escaped that is no visible character and
// no space, line breaks and tabs too. What it returns stands on one line.
func Escape(text string) string {
	for i := 0; i < len(text); i++ {
		if b := text[i]; b < ' ' || b >= 0x7f {
			return string(Append(make([]byte, 0, len(text)+16), text))
		}
	}
	return text
}

// Append appends to dst what Escape returns.
func Append[T string | []byte](dst []byte, text T) []byte {
	for i := 0; i < len(text); {
		if b := text[i]; ' ' <= b && b < 0x7f {
			dst = append(dst, b)
			i++
			continue
		}
		r, size := decode(text[i:])
		dst = appendRune(dst, r, size, text[i])
		i += size
	}
	return dst
}

func decode[T string | []byte](text T) (rune, int) {
	// Four bytes are the longest a character has, so the copy is of those alone.
	var first [utf8.UTFMax]byte
	return utf8.DecodeRune(first[:copy(first[:], text)])
}

// appendRune appends one character, or its escape. The byte is the first of its
// text, for what is not UTF-8.
func appendRune(dst []byte, r rune, size int, first byte) []byte {
	switch {
	case r == utf8.RuneError && size <= 1:
		return append(dst, '\\', 'x', hex[first>>4], hex[first&15])
	case unicode.IsGraphic(r):
		return utf8.AppendRune(dst, r)
	case r == '\n':
		return append(dst, `\n`...)
	case r == '\r':
		return append(dst, `\r`...)
	case r == '\t':
		return append(dst, `\t`...)
	case r > 0xffff:
		high, low := utf16.EncodeRune(r)
		return appendUnit(appendUnit(dst, high), low)
	}
	return appendUnit(dst, r)
}

const hex = "0123456789abcdef"

// appendUnit appends the JSON escape of one UTF-16 code unit.
func appendUnit(dst []byte, unit rune) []byte {
	return append(dst, '\\', 'u', hex[unit>>12&15], hex[unit>>8&15], hex[unit>>4&15], hex[unit&15])
}

// Writer is a stream of text that may go to a terminal. Line breaks and tabs pass,
// because the program writes its own; everything else passes as [Escape] has it.
// Several goroutines may write to it at once.
type Writer struct {
	mu  sync.Mutex
	out io.Writer
	// held is the beginning of a character that one write ended in.
	held []byte
	text []byte
}

// NewWriter returns a stream that writes to out.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// Write writes the text. It reports all of p as written unless out fails.
func (w *Writer) Write(p []byte) (n int, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rest := p
	if len(w.held) > 0 {
		rest = slices.Concat(w.held, p)
		w.held = w.held[:0]
	}
	w.text = w.text[:0]
	for len(rest) > 0 {
		end := plain(rest)
		w.text = append(w.text, rest[:end]...)
		rest = rest[end:]
		if len(rest) == 0 {
			break
		}
		if !utf8.FullRune(rest) {
			w.held = append(w.held, rest...)
			break
		}
		r, size := utf8.DecodeRune(rest)
		w.text = appendRune(w.text, r, size, rest[0])
		rest = rest[size:]
	}
	if len(w.text) > 0 {
		if _, err := w.out.Write(w.text); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// plain returns how many bytes at the beginning pass as they are.
func plain(text []byte) int {
	for i, b := range text {
		if (b < ' ' || b >= 0x7f) && b != '\n' && b != '\t' {
			return i
		}
	}
	return len(text)
}

// Flush writes the beginning of a character whose end never came.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.held) == 0 {
		return nil
	}
	_, err := w.out.Write(Append(nil, w.held))
	w.held = w.held[:0]
	return err
}
