package calculator

import (
	"strconv"
	"unicode/utf8"

	"trey/internal/printable"
	"trey/money"
)

func appendAmount(dst []byte, a money.Amount) []byte { return strconv.AppendInt(dst, int64(a), 10) }

// appendID appends an id as it came. A character that a terminal acts on, and that
// JSON allows to stand as it is, is escaped: the string has the same value.
func appendID(dst, id []byte) []byte {
	for _, b := range id {
		if b >= 0x7f {
			return printable.Append(dst, id)
		}
	}
	return append(dst, id...)
}

// appendError appends the answer to a bad line. Without an id it has none.
func appendError(dst, id []byte, message string, number int) []byte {
	dst = append(dst, '{')
	if id != nil {
		dst = append(dst, `"id":`...)
		dst = appendID(dst, id)
		dst = append(dst, ',')
	}
	dst = append(dst, `"error":`...)
	dst = appendText(dst, message)
	dst = append(dst, `,"line":`...)
	dst = strconv.AppendInt(dst, int64(number), 10)
	return append(dst, "}\n"...)
}

// appendText appends a JSON string.
func appendText(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		default:
			dst = printable.Append(dst, string(r))
		}
	}
	return append(dst, '"')
}

// A message repeats what it found, but never a mebibyte of it.
const longestQuote = 40

// quote puts quotes around what was found, in a message.
func quote(s string) string { return strconv.Quote(shorten(s)) }

func shorten(s string) string {
	if len(s) <= longestQuote {
		return s
	}
	cut := longestQuote
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}
