package ledger

import (
	"encoding/json"
	"unicode/utf8"
)

// AppendJSON appends postings as JSON; none are an empty list.
func AppendJSON(text []byte, postings []Posting) ([]byte, error) {
	if len(postings) == 0 {
		return append(text, "[]"...), nil
	}
	list, err := json.Marshal(postings)
	return append(text, list...), err
}

// AppendString appends a string as json.Marshal writes it.
func AppendString(text []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, err := json.Marshal(s)
			if err != nil {
				panic(err) // every string can be written
			}
			return append(text, quoted...)
		}
	}
	return append(append(append(text, '"'), s...), '"')
}
