package tomldoc

import (
	"bytes"
	"fmt"
)

// maxDepth bounds how many parts a key has, and how deep lists and tables lie in each
// other. A house.toml needs four. The time that a key takes grows with the square of
// its parts, and the parser calls itself for each list inside a list.
const maxDepth = 32

// maxKeys bounds how many keys and heads of tables a document has. The parser compares
// each with all others of its table, so more of them would take it minutes. A house of
// two thousand tables has fewer.
const maxKeys = 20_000

// beyondBounds goes over a document once and looks for what passes maxDepth or maxKeys.
// It returns where the first such line begins, where on it the bound is passed, and
// what to say; an empty reason means that there is none. It reads brackets, dots and
// strings alone: whether they are TOML is for the parser.
func beyondBounds(doc []byte) (line, offset int, reason string) {
	depth, dots, keys, blank := 0, 0, 0, true
	for i := 0; i < len(doc); {
		b := doc[i]
		if b == '=' || b == '[' && blank && depth == 0 {
			if keys++; keys > maxKeys {
				return line, i, fmt.Sprintf("the file has more than %d keys: split it, or remove what repeats", maxKeys)
			}
		}
		blank = b == '\n' || blank && (b == ' ' || b == '\t' || b == '\r')
		switch b {
		case '\n':
			dots, line = 0, i+1
		case '#':
			if end := bytes.IndexByte(doc[i:], '\n'); end >= 0 {
				i += end
				continue
			}
			return 0, 0, ""
		case '"', '\'':
			end := stringEnd(doc, i)
			if newline := bytes.LastIndexByte(doc[i:end], '\n'); newline >= 0 {
				line = i + newline + 1
			}
			i = end
			continue
		case '=', ',':
			dots = 0
		case '[', '{':
			dots = 0
			if depth++; depth > maxDepth {
				return line, i, fmt.Sprintf("lists and tables lie more than %d deep in each other here: nothing that can be written in this file does", maxDepth)
			}
		case ']', '}':
			dots = 0
			depth = max(0, depth-1)
		case '.':
			if dots++; dots >= maxDepth {
				return line, i, fmt.Sprintf("the key has more than %d parts: no key of this file has so many", maxDepth)
			}
		}
		i++
	}
	return 0, 0, ""
}

// stringEnd returns where the string ends that begins at a quote. One that is not
// closed ends with its line, or, between three quotes, with the document.
func stringEnd(doc []byte, at int) int {
	quote := doc[at : at+1]
	if long := bytes.Repeat(quote, 3); bytes.HasPrefix(doc[at:], long) {
		for i := at + 3; i < len(doc); i++ {
			switch {
			case doc[i] == '\\' && quote[0] == '"':
				i++
			case bytes.HasPrefix(doc[i:], long):
				return i + 3
			}
		}
		return len(doc)
	}
	for i := at + 1; i < len(doc); i++ {
		switch doc[i] {
		case '\\':
			if quote[0] == '"' {
				i++
			}
		case quote[0]:
			return i + 1
		case '\n':
			return i
		}
	}
	return len(doc)
}
