package calculator

import (
	"strconv"
	"unicode/utf8"

	"trey/money"
)

func appendAmount(dst []byte, a money.Amount) []byte { return strconv.AppendInt(dst, int64(a), 10) }

// appendError appends the answer to a bad line. Without an id it has none.
func appendError(dst, id []byte, message string, number int) []byte {
	dst = append(dst, '{')
	if id != nil {
		dst = append(dst, `"id":`...)
		dst = append(dst, id...)
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
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r < ' ' || r == 0x7f:
			dst = append(dst, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			dst = utf8.AppendRune(dst, r)
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
