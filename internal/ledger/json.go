package ledger

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends postings as json.Marshal writes them, several times as fast:
// it is done for every command while others wait. None are an empty list.
func AppendJSON(text []byte, postings []Posting) ([]byte, error) {
	text = append(text, '[')
	for i := range postings {
		if i > 0 {
			text = append(text, ',')
		}
		var err error
		if text, err = postings[i].append(text); err != nil {
			return nil, err
		}
	}
	return append(text, ']'), nil
}

func (p *Posting) append(text []byte) ([]byte, error) {
	from, err := p.From.MarshalText()
	if err != nil {
		return nil, err
	}
	to, err := p.To.MarshalText()
	if err != nil {
		return nil, err
	}
	reason, err := p.For.Reason.MarshalText()
	if err != nil {
		return nil, err
	}
	text = AppendString(append(text, `{"from":`...), string(from))
	text = AppendString(append(text, `,"to":`...), string(to))
	text = strconv.AppendInt(append(text, `,"amount":`...), int64(p.Amount), 10)
	text = AppendString(append(text, `,"for":{"reason":`...), string(reason))
	text = appendField(text, `,"table":`, p.For.Table)
	text = appendNumber(text, `,"round":`, p.For.Round)
	text = appendNumber(text, `,"box":`, p.For.Box)
	if p.For.Wager != 0 {
		wager, err := p.For.Wager.MarshalText()
		if err != nil {
			return nil, err
		}
		text = AppendString(append(text, `,"wager":`...), string(wager))
	}
	text = appendNumber(text, `,"line":`, p.For.Line)
	text = appendField(text, `,"clause":`, p.For.Clause)
	text = appendField(text, `,"jackpot":`, p.For.Jackpot)
	text = appendField(text, `,"note":`, p.For.Note)
	return append(text, '}', '}'), nil
}

func appendField(text []byte, name, value string) []byte {
	if value == "" {
		return text
	}
	return AppendString(append(text, name...), value)
}

func appendNumber(text []byte, name string, value int) []byte {
	if value == 0 {
		return text
	}
	return strconv.AppendInt(append(text, name...), int64(value), 10)
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
